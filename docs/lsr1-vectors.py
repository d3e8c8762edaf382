#!/usr/bin/env python3
"""lsr1-vectors.py - the two bundles of docs/bundle-vectors.md, byte by byte

    docs/lsr1-vectors.py LSR            print the page, made of what `LSR --pack` writes
    docs/lsr1-vectors.py LSR --check    compare it with the page that there is

Owner and times are given, so the bytes do not depend on who packs; those of compressed blocks depend on libzstd.
"""
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "bundle-vectors.md")
COLUMNS = {1: "lengths of names", 2: "names", 3: "children of directories", 4: "entries of attributes", 16: "known fields",
           17: "modes", 18: "user ids", 19: "group ids", 20: "users", 21: "groups", 24: "lengths of strings", 25: "strings",
           32: "sizes", 33: "bytes in the bundle, plus 1", 34: "positions", 35: "data, after position", 36: "flags",
           38: "targets of hard links", 39: "targets", 48: "seconds of mtime", 52: "nanoseconds of mtime", 64: "CRC-32 of S's entries"}
HEAD = """# Two LSR1 bundles, byte by byte

`docs/lsr1-vectors.py` makes this page of what `lsr --pack` writes, and a test compares the two. The fields are those of
[bundle-format.md](bundle-format.md). Numbers are hexadecimal where they begin with 0x. The bytes of compressed blocks
are those of libzstd 1.5.4; another version may write others, which decode to the same.
"""
TREES = [
    ("An empty directory", "`lsr --pack empty --owner=0:0`, of the time 0. The tar is one header.", "empty", "mkdir empty", "@0"),
    ("A file with two names, and a symbolic link",
     "`lsr --pack t --owner=0:0`, of the time 1000000000.5. The half second needs pax headers.", "t",
     "mkdir t; printf 'hello\\n' >t/a; ln t/a t/hard; ln -s a t/soft", "@1000000000.5"),
]


class Dump:
    def __init__(self, data):
        self.data, self.at, self.lines = data, 0, []

    def take(self, n, text):
        part = self.data[self.at:self.at + n]
        assert len(part) == n, text
        for i in range(0, max(n, 1), 16):
            row = part[i:i + 16]
            self.lines.append(f"{self.at + i:06x}  {row.hex(' '):<47}  {text if i == 0 else ''}".rstrip())
        self.at += n
        return part

    def number(self, n, text):
        v = int.from_bytes(self.data[self.at:self.at + n], "little")
        self.take(n, text.format(v=v))
        return v

    def frame(self, size, text):
        """A zstd frame of one block or more."""
        self.number(4, f"{text}: magic of zstd")
        flags = self.data[self.at]
        n = 1 << (flags >> 6) if flags >> 6 else 1
        assert flags & 4 and not flags & 3
        self.take(1, f"content size in {n} byte{'s' * (n > 1)}{', single segment' * (flags >> 5 & 1)}, checksum")
        if not flags & 0x20:
            self.take(1, "window")
        self.number(n, "content size {v}" + (" + 256" if n == 2 else ""))
        last = 0
        while not last:
            block = int.from_bytes(self.data[self.at:self.at + 3], "little")
            last, kind, length = block & 1, block >> 1 & 3, block >> 3
            self.take(3, f"{'last ' * last}block, {['raw', 'run', 'compressed'][kind]}, {length} bytes")
            self.take(1 if kind == 1 else length, "its content")
        self.take(4, "low half of XXH64 of the content")

    def text(self):
        return "\n".join(self.lines) + "\n"


def decompress(data):
    return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout


def container(data):
    d = Dump(data)
    n = int.from_bytes(data[-9:-5], "little")
    entries = [struct.unpack_from("<III", data, len(data) - 9 - 12 * (n - i)) for i in range(n)]
    for i, (packed, raw, _) in enumerate(entries[:-2]):
        end = d.at + packed
        d.frame(raw, f"D{i}" if i < n - 3 else "E")
        assert d.at == end
    toc_at = d.at
    d.number(4, "T: magic of a skippable frame")
    length = d.number(4, "{v} bytes follow")
    toc = decompress(data[d.at:d.at + length])
    d.take(length, "frames of zstd: the catalogue, below")
    d.number(4, "L: magic of a skippable frame")
    d.number(4, "{v} bytes follow")
    d.take(8, "LSRTOC\\r\\n")
    d.number(2, "major version {v}")
    d.number(2, "compatible features {v}")
    d.number(4, "incompatible features {v}")
    assert d.number(8, "T is at {v}") == toc_at
    d.number(8, "its frames have {v} bytes,")
    d.number(8, "the catalogue {v},")
    d.number(8, "the tar {v}")
    d.number(4, "rows: {v}")
    d.number(4, "CRC-32 of these 60 bytes")
    d.number(4, "S: magic of a skippable frame")
    d.number(4, "{v} bytes follow")
    for name in [*(f"D{i}" for i in range(n - 3)), "E", "T", "L"]:
        d.number(4, name + ": {v} bytes,")
        d.number(4, "{v} decompressed,")
        d.take(4, "and their checksum")
    d.number(4, "entries: {v}")
    d.take(1, "with checksums")
    d.number(4, "magic of the seekable format")
    assert d.at == len(data)
    return d.text(), toc


def catalogue(toc):
    d = Dump(toc)
    d.take(4, "LTOC")
    d.number(2, "version {v}")
    n = d.number(2, "{v} columns")
    d.number(8, "rows: {v}")
    d.number(8, "directories: {v}")
    columns = []
    for _ in range(n):
        id_, width, encoding, shift, offset, length = struct.unpack_from("<HBBIQQ", toc, d.at)
        columns.append((offset, length, id_))
        words = [word for bit, word in ((1, "delta"), (2, "zigzag"), (4, "base"), (128, "critical")) if encoding & bit]
        d.number(2, f"column {id_}: {COLUMNS[id_]}")
        d.take(1, f"width {width}" if width else "text")
        d.take(1, "encoding: " + (", ".join(words) or "plain"))
        d.number(4, "shift {v}")
        d.number(8, "at 0x{v:x},")
        d.number(8, "{v} bytes")
    for offset, length, id_ in columns:
        if offset > d.at:
            d.take(offset - d.at, "(padding)")
        d.take(length, f"column {id_}: {COLUMNS[id_]}")
    if d.at < len(toc):
        d.take(len(toc) - d.at, "(padding)")
    return d.text()


def page(lsr):
    out = [HEAD]
    for title, words, name, script, mtime in TREES:
        with tempfile.TemporaryDirectory() as top:
            subprocess.run(["sh", "-euc", script], cwd=top, check=True)
            subprocess.run(["sh", "-euc", f"chmod -R u=rwX,go=rX .; find . -exec touch -hd {mtime} {{}} +"], cwd=top, check=True)
            subprocess.run([lsr, "--pack", name, "--owner=0:0", "--output=b.tar.zst"], cwd=top, check=True,
                           stderr=subprocess.DEVNULL)
            with open(os.path.join(top, "b.tar.zst"), "rb") as f:
                data = f.read()
        file, toc = container(data)
        out.append(f"## {title}\n\n{words}\n\n### The file, {len(data)} bytes\n\n```\n{file}```\n\n"
                   f"### The catalogue in T, {len(toc)} bytes\n\n```\n{catalogue(toc)}```\n")
    return "\n".join(out)


def main():
    text = page(os.path.abspath(sys.argv[1]))
    if sys.argv[2:] == ["--check"]:
        with open(PAGE) as f:
            same = f.read() == text
        print("1 passed, 0 failed" if same else f"{PAGE} is not what --pack writes\n0 passed, 1 failed")
        sys.exit(not same)
    sys.stdout.write(text)


main()
