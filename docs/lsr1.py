#!/usr/bin/env python3
"""lsr1.py - read LSR1 bundles, written from docs/bundle-format.md alone

    lsr1.py list BUNDLE [DIR]        a JSON object for each row below DIR, or for all rows
    lsr1.py cat BUNDLE PATH          the content of a member
    lsr1.py extract BUNDLE TO        directories, files and symbolic links into TO, which must not exist

It needs the standard library and the program zstd.  It shows how little a reader has to do, and is no replacement for
lsr: it checks what it uses, and what it refuses any tar reads (`tar --zstd`).
"""
import json
import os
import stat
import struct
import subprocess
import sys
import zlib

MAGIC, TABLE_MAGIC, FOOTER_MAGIC = 0x184D2A5B, 0x184D2A5E, 0x8F92EAB1
TOC_MAX, ROWS_MAX, STEP = 1 << 30, 1 << 28, 4096
TEXT = {2, 25, 64, 65}
KNOWN = {1, 2, 3, 4, 5, *range(16, 23), 24, 25, *range(32, 42), *range(48, 56), 64, 65}
TYPES = {"d": 0x4000, "f": 0x8000, "l": 0xA000}


class NoIndex(Exception):
    """The bundle has no table of contents, or one that is not to be used: it is a .tar.zst all the same."""


def need(condition, what):
    if not condition:
        raise NoIndex(what)


def decode(frames, size):
    """Whole zstd frames, of which the checksums are compared, to exactly @size bytes."""
    p = subprocess.run(["zstd", "-dcq", "--long=27"], input=frames, capture_output=True)
    need(p.returncode == 0 and len(p.stdout) == size, "a zstd frame is damaged")
    return p.stdout


# --- the container ------------------------------------------------------------------


class Bundle:
    def __init__(self, path):
        self.file = open(path, "rb")
        size = self.file.seek(0, 2)
        need(size >= 9 + 64, "it is too short")
        n, flags, magic = struct.unpack("<IBI", self.read(size - 9, 9))
        entry = 12 if flags & 0x80 else 8
        table = 8 + n * entry + 9
        need(magic == FOOTER_MAGIC and not flags & 0x7C and 3 <= n <= 1 << 24 and table + 64 <= size, "no seek table")
        s = self.read(size - table, table)
        need(struct.unpack("<II", s[:8]) == (TABLE_MAGIC, table - 8), "no seek table")
        entries = [struct.unpack_from("<II", s, 8 + i * entry) for i in range(n)]
        self.sums = [struct.unpack_from("<I", s, 16 + i * 12)[0] for i in range(n)] if entry == 12 else None
        l = self.read(size - table - 64, 64)
        (magic, length, word, major, _, incompat, toc_at, toc_clen, toc_rlen, self.tar_length, rows,
         crc) = struct.unpack("<II8sHHIQQQQII", l)
        need((magic, length, word) == (MAGIC, 56, b"LSRTOC\r\n") and crc == zlib.crc32(l[:60]), "no locator")
        need(major == 1 and incompat == 0, "a newer version")
        need(toc_at + 8 + toc_clen == size - table - 64, "the locator leads elsewhere")
        need(entries[-3][1] == 1024 and entries[-2] == (toc_clen + 8, 0) and entries[-1] == (64, 0), "no T and L")
        self.frames, at, raw = [], 0, 0
        for packed, plain in entries[:-2]:
            self.frames.append((at, packed, raw, plain))
            at, raw = at + packed, raw + plain
        need(at == toc_at and raw == self.tar_length, "locator and seek table disagree")
        need(toc_rlen <= TOC_MAX and (toc_rlen <= 1 << 20 or toc_rlen <= toc_clen << 10), "T is too large")
        need(rows <= self.tar_length // 512 + 1, "too many rows")
        toc = self.read(toc_at, 8 + toc_clen)
        need(struct.unpack("<II", toc[:8]) == (MAGIC, toc_clen), "no T")
        self.catalogue = Catalogue(decode(toc[8:], toc_rlen))
        need(self.catalogue.rows == rows, "another number of rows")
        bound = self.catalogue.columns.get(64)
        need(bound is None or bound == struct.pack("<I", zlib.crc32(s[8:8 + (n - 2) * entry])), "T of another tar")

    def read(self, at, n):
        data = os.pread(self.file.fileno(), n, at)
        need(len(data) == n, "it is cut short")
        return data

    def tar(self, at, n):
        """Bytes [at, at + n) of the tar, by the frames that have them."""
        need(at + n <= self.tar_length, "beyond the tar")
        out, low, high = [], 0, len(self.frames) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.frames[middle][2] <= at else (low, middle - 1)
        while n > 0:
            offset, packed, raw, plain = self.frames[low]
            frame = self.read(offset, packed)
            need(not self.sums or frame[-4:] == struct.pack("<I", self.sums[low]), "a frame of another tar")
            part = decode(frame, plain)[at - raw:at - raw + n]
            out.append(part)
            at, n, low = at + len(part), n - len(part), low + 1
        return b"".join(out)

    def content(self, row):
        """Of a file that is stored without holes, after a look at its header in the tar."""
        c = self.catalogue
        row = c.value(38, row) or row
        size, position = c.value(32, row), c.value(34, row)
        at = c.value(35, row) + position
        need(not c.value(36, row) & 0x4, "holes: use tar")
        need(at % 512 == 0 and at >= position + 512, "no header")
        header = self.tar(at - 512, 512)
        need(header[156:157] in (b"0", b"\0") and c.mode(row) & 0xF000 == 0x8000, "the header is of another type")
        # What does not fit is in a pax header before; then the field says 0 or nothing.
        field = header[124:136].rstrip(b" \0")
        need(not field.isdigit() or int(field, 8) in (size, 0), "the header says another size")
        need(c.path(row).endswith(header[:100].rstrip(b"\0").rpartition(b"/")[2]) or position + 512 < at, "another name")
        return self.tar(at, size)


# --- the catalogue --------------------------------------------------------------------


class Catalogue:
    def __init__(self, data):
        need(len(data) >= 24 and data[:4] == b"LTOC", "no catalogue")
        version, n, self.rows, self.n_dirs = struct.unpack_from("<HHQQ", data, 4)
        need(version == 1 and 1 <= self.rows <= ROWS_MAX and 24 + 24 * n <= len(data), "a newer catalogue")
        self.columns = {}
        for i in range(n):
            id_, width, encoding, shift, offset, length = struct.unpack_from("<HBBIQQ", data, 24 + 24 * i)
            if id_ not in KNOWN:
                need(not encoding & 128, "a critical column that is not known")
                continue
            need(not encoding & 0x78, "a newer encoding")
            need(id_ not in self.columns and offset % 8 == 0 and offset + length <= len(data) and shift < 64, "a column")
            part = data[offset:offset + length]
            self.columns[id_] = part if id_ in TEXT else values(part, width, encoding, shift)
        self.name_ends = self.ends(1, 2, self.rows)
        self.string_ends = self.ends(24, 25, len(self.columns.get(24, [])))
        self.names, self.strings = self.columns.get(2, b""), self.columns.get(25, b"")
        for id_, column in self.columns.items():
            rows = {3: self.n_dirs, 5: (self.rows - 1) // STEP * 5}.get(id_, self.rows)
            need(id_ in TEXT or 16 <= id_ <= 24 or len(column) == rows, f"column {id_} has another length")
        for id_ in (20, 21, 22, 39, 40, 41):
            need(all(v < len(self.string_ends) for v in self.columns.get(id_, [])), "a string that there is not")
        known, modes = self.columns.get(16, []), self.columns.get(17, [])
        need(known and all(v < len(known) for v in self.columns.get(4, [])), "attributes that there are not")
        need(all(len(self.columns.get(id_, known)) == len(known) for id_ in range(17, 23)), "attributes")
        self.known, self.modes = known, modes or [0] * len(known)
        self.tree()

    def tree(self):
        """first[row] to first[row + 1]: the children."""
        counts, self.first, self.parent, next_ = iter(self.columns.get(3, [0] * self.n_dirs)), [], [0] * self.rows, 1
        for row in range(self.rows):
            self.first.append(next_)
            n = 0
            if self.mode(row) & 0xF000 == 0x4000:
                n = next(counts, self.rows)
            need(row < next_ <= next_ + n <= self.rows, "no tree")
            self.parent[next_:next_ + n] = [row] * n
            names = [self.name(child) for child in range(next_, next_ + n)]
            need(not {b"", b".", b".."} & set(names) and names == sorted(set(names)), "names")
            next_ += n
        self.first.append(next_)
        need(next_ == self.rows and self.mode(0) & 0xF000 == 0x4000 and next(counts, None) is None, "no tree")
        need(not {ord("/"), 0} & set(self.names) and not self.name(0), "names")

    def ends(self, lengths, text, n):
        ends, column = [0], self.columns.get(lengths, [])
        need(len(column) == n, "lengths")
        for v in column:
            ends.append(ends[-1] + v)
        need(ends[-1] == len(self.columns.get(text, b"")), "lengths")
        return ends

    def value(self, id_, row):
        return self.columns[id_][row] if id_ in self.columns else 0

    def attribute(self, id_, row):
        return self.value(id_, self.value(4, row))

    def mode(self, row):
        attr = self.value(4, row)
        known = self.known[attr]
        return self.modes[attr] & ((0xF000 if known & 1 else 0) | (0xFFF if known & 2 else 0))

    def name(self, row):
        return self.names[self.name_ends[row]:self.name_ends[row + 1]]

    def string(self, number):
        return self.strings[self.string_ends[number - 1]:self.string_ends[number]] if number else None

    def path(self, row):
        parts = []
        while row:
            parts.append(self.name(row))
            row = self.parent[row]
        return b"/".join(reversed(parts))

    def find(self, path):
        row = 0
        for part in filter(None, path.split(b"/")):
            row = next((r for r in range(self.first[row], self.first[row + 1]) if self.name(r) == part), None)
            if row is None:
                raise FileNotFoundError(path)
        return row


def values(data, width, encoding, shift):
    base = 0
    if encoding & 4:
        need(len(data) >= 8, "a base")
        base, data = struct.unpack("<Q", data[:8])[0], data[8:]
    need(width in (1, 2, 4, 8) and len(data) % width == 0, "a width")
    out, previous, mask = [], 0, (1 << 64) - 1
    for (v,) in struct.iter_unpack("<" + {1: "B", 2: "H", 4: "I", 8: "Q"}[width], data):
        if encoding & 2:
            v = v >> 1 ^ -(v & 1)
        v = (v << shift) + base
        if encoding & 1:
            v += previous
        previous = v & mask
        out.append(previous)
    return out


# --- the commands ----------------------------------------------------------------------


def describe(c, row):
    """A row as a JSON object."""
    link = c.value(38, row) or row
    seconds = c.value(48, link)
    target = c.string(c.value(39, row))
    out = {
        "path": os.fsdecode(c.path(row)),
        "mode": f"{c.mode(link) & 0o7777:04o}",
        "type": {v: k for k, v in TYPES.items()}.get(c.mode(link) & 0xF000, "?"),
        "uid": c.attribute(18, link),
        "gid": c.attribute(19, link),
        "user": (c.string(c.attribute(20, link)) or b"").decode(errors="surrogateescape"),
        "group": (c.string(c.attribute(21, link)) or b"").decode(errors="surrogateescape"),
        "size": c.value(32, link),
        "mtime": [seconds - (seconds >> 63 << 64), c.value(52, link)],
    }
    if link != row:
        out["link"] = os.fsdecode(c.path(link))
    elif target is not None:
        out["target"] = os.fsdecode(target)
    if c.columns.get(65):
        out["sha256"] = c.columns[65][32 * link:32 * link + 32].hex()
    return out


def below(c, row):
    for child in range(c.first[row], c.first[row + 1]):
        yield child
        yield from below(c, child)


def extract(bundle, to):
    c = bundle.catalogue
    os.mkdir(to)
    for row in below(c, 0):
        path, kind = os.path.join(os.fsencode(to), c.path(row)), c.mode(c.value(38, row) or row) & 0xF000
        if kind == TYPES["d"]:
            os.mkdir(path)
        elif kind == TYPES["f"]:
            with open(path, "xb") as f:
                f.write(bundle.content(row))
    # Last, so that nothing is written through one.
    for row in below(c, 0):
        if c.mode(row) & 0xF000 == TYPES["l"]:
            os.symlink(c.string(c.value(39, row)), os.path.join(os.fsencode(to), c.path(row)))


def main(argv):
    if len(argv) < 3 or argv[1] not in ("list", "cat", "extract"):
        sys.exit(__doc__)
    try:
        bundle = Bundle(argv[2])
        c = bundle.catalogue
        if argv[1] == "list":
            for row in below(c, c.find(os.fsencode(argv[3])) if len(argv) > 3 else 0):
                print(json.dumps(describe(c, row)))
        elif argv[1] == "cat":
            sys.stdout.buffer.write(bundle.content(c.find(os.fsencode(argv[3]))))
        else:
            extract(bundle, argv[3])
    except NoIndex as e:
        sys.exit(f"lsr1.py: {argv[2]}: {e}; `tar --zstd -tf` reads it")


if __name__ == "__main__":
    main(sys.argv)
