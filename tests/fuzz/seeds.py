#!/usr/bin/env python3
"""seeds - the inputs that fuzzing begins with, and those that it has found

    seeds.py --lsr BINARY DIR       makes DIR/TARGET/NAME

Bundles are made by Python, by lsr --pack, and by tools where they are
installed; small, since each byte is one that may be mutated.  found/TARGET/NAME.hex
is what was found: bytes in hexadecimal, and what they are behind a '#'.
"""
import argparse
import bz2
import gzip
import hashlib
import hmac
import io
import lzma
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = {"a": b"hello\n", "dir/b": b"abc" * 100, "dir/empty": b"", "dir/zeros": bytes(3000)}


class Corpus:
    def __init__(self, path):
        self.path = path

    def add(self, target, name, data):
        directory = os.path.join(self.path, target)
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, name), "wb") as f:
            f.write(data[: 64 << 10])


# --- bundles ---------------------------------------------------------------------


def tar(form, **headers):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as t:
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.uname = len(data), 10**9, "ann"
            info.pax_headers = dict(headers)
            t.addfile(info, io.BytesIO(data))
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("fifo", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "a" if kind != tarfile.FIFOTYPE else ""
            t.addfile(info)
        info = tarfile.TarInfo("long/" * 40 + "name")
        t.addfile(info)
    return out.getvalue().rstrip(b"\0") + bytes(1024)


def tars(corpus):
    corpus.add("tar", "good-ustar-gnu", tar(tarfile.GNU_FORMAT))
    pax = {"atime": "1.5", "SCHILY.xattr.user.x": "y", "LIBARCHIVE.xattr.user.z": "YQ=="}
    corpus.add("tar", "good-pax", tar(tarfile.PAX_FORMAT, **pax))
    sparse = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.map": "0,1,5,1", "GNU.sparse.size": "9"}
    corpus.add("tar", "good-sparse", tar(tarfile.PAX_FORMAT, **sparse))
    corpus.add("pax", "good-records", b"30 mtime=1000000000.123456789\n11 path=x/y\n12 size=1234\n"
                                      b"26 SCHILY.xattr.user.a=b\n\n18 GNU.sparse.map=\n")
    corpus.add("pax", "good-sparse-0.0", b"20 GNU.sparse.size=9\n24 GNU.sparse.numblocks=\n23 GNU.sparse.offset=1\n"
                                         b"25 GNU.sparse.numbytes=2\n")
    corpus.add("sparse", "good-1.0", b"2\n0\n512\n99488\n512\n".ljust(512, b"\0") + bytes(1024))
    corpus.add("sparse", "good-text", b"0,10,20,30,100000,0")
    corpus.add("sparse", "good-gnu", b"00000000000\x0000000001000\0" * 21)


def zip_bundle(method, streamed=False):
    class Pipe(io.BytesIO):  # then sizes follow the data
        def seekable(self):
            return not streamed

        def seek(self, *args):
            if streamed:
                raise OSError
            return super().seek(*args)

        def tell(self):
            if streamed:
                raise OSError
            return super().tell()

    out = Pipe()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in FILES.items():
            info = zipfile.ZipInfo(name, (2001, 9, 9, 1, 46, 40))
            info.compress_type = method
            info.external_attr = 0o100644 << 16
            info.extra = struct.pack("<HHBI", 0x5455, 5, 1, 10**9) + struct.pack("<HHBBIBI", 0x7875, 11, 1, 4, 1, 4, 2)
            z.writestr(info, data)
        link = zipfile.ZipInfo("link")
        link.external_attr, link.create_system = 0o120777 << 16, 3
        z.writestr(link, "a")
        z.comment = b"comment"
    return out.getvalue()


def zips(corpus):
    methods = {"store": zipfile.ZIP_STORED, "deflate": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2,
               "lzma": zipfile.ZIP_LZMA}
    for name, method in methods.items():
        corpus.add("zip", "good-" + name, zip_bundle(method))
    whole = zip_bundle(zipfile.ZIP_DEFLATED, True)
    corpus.add("zip", "good-streamed", whole)
    corpus.add("zip", "bad-no-directory", whole[: whole.index(b"PK\1\2")])
    extras = [
        struct.pack("<HHQQQ", 1, 24, 5, 6, 7),
        struct.pack("<HHIHHQQQ", 10, 32, 0, 1, 24, 1 << 56, 1 << 56, 1 << 56),
        struct.pack("<HHBI", 0x7075, 6, 1, zlib.crc32(b"name")) + b"u",
        struct.pack("<HHHBBBH", 0x9901, 7, 2, 65, 69, 3, 8),
        struct.pack("<HHBIII", 0x5455, 13, 7, 1, 2, 3),
        struct.pack("<HHIIHH", 0x5855, 12, 1, 2, 3, 4),
        struct.pack("<HHBBIBI", 0x7875, 11, 1, 4, 1, 4, 2),
    ]
    for i, extra in enumerate(extras):
        for local in (0, 1):
            head = bytes([local, 4]) + b"\xff" * (30 if local else 46)
            corpus.add("zip-extra", f"good-{i}-{local}", head + b"name" + extra)
    corpus.add("zip-extra", "good-all", bytes([0, 4]) + b"\xff" * 46 + b"name" + b"".join(extras))


def encrypted(corpus):
    for strength in 1, 2, 3:
        size = 8 + 8 * strength
        salt, data = bytes(range(size // 2)), bytes(range(50))
        keys = hashlib.pbkdf2_hmac("sha1", b"secret", salt, 1000, 2 * size + 2)
        code = hmac.new(keys[size : 2 * size], data, "sha1").digest()[:10]
        whole = salt + keys[2 * size :] + data + code
        corpus.add("zip-decrypt", f"good-aes-{strength}", bytes([strength | 0x40, 0]) + whole)
        corpus.add("zip-decrypt", f"bad-code-{strength}", bytes([strength, 0]) + whole[:-1] + b"\0")
    for check in 0, 0x5A:
        corpus.add("zip-decrypt", f"good-pkware-{check}", bytes([0xFC, check]) + bytes(range(100)))


def mtrees(corpus):
    text = b"#mtree\n/set type=file uid=0 gid=0 mode=644 nlink=1\n.  type=dir mode=0755\n"
    text += b"    a  size=6 time=1000000000.5 sha256digest=" + hashlib.sha256(b"hello\n").hexdigest().encode()
    text += b" \\\n       uname=ann gname=users flags=none\n    link type=link link=a\n# ./dir\ndir type=dir\n"
    text += b"    odd\\040name size=1\n    dev type=char device=native,1,3\n..\n/unset uid\n..\n"
    corpus.add("mtree", "good-indented", text)
    corpus.add("mtree", "good-paths", b"#mtree v2.0\n./a size=6 mode=0644 type=file\n./dir/b optional nochange ignore\n"
                                      b"./c contents=/etc/passwd type=file size=0\n")


def sqlites(corpus):
    with tempfile.TemporaryDirectory() as scratch:
        for name, page, encoding in (("512", 512, "UTF-8"), ("1024", 1024, "UTF-16le")):
            for kind in ("sqlar", "plain"):
                path = os.path.join(scratch, kind + name)
                db = sqlite3.connect(path)
                db.execute(f"PRAGMA page_size={page}")
                db.execute(f"PRAGMA encoding='{encoding}'")
                if kind == "sqlar":
                    db.execute("CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)")
                    for member, data in FILES.items():
                        packed = zlib.compress(data)
                        packed = packed if len(packed) < len(data) else data
                        db.execute("INSERT INTO sqlar VALUES(?,33188,1000000000,?,?)", (member, len(data), packed))
                    db.execute("INSERT INTO sqlar VALUES('link',41471,1,-1,'a')")
                else:
                    db.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b REAL, c BLOB)")
                    db.execute("CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID")
                    db.execute("CREATE INDEX i ON t(a)")
                    db.execute("CREATE VIEW v AS SELECT a, b FROM t")
                    for i in range(20):
                        db.execute("INSERT INTO t VALUES(?,?,?,?)", (i, f"text {i}", i / 3, bytes(i * 30)))
                        db.execute("INSERT INTO w VALUES(?,?)", (i, None))
                db.commit()
                db.close()
                with open(path, "rb") as f:
                    data = f.read()
                corpus.add("sqlite", f"good-{kind}-{name}", data)
                corpus.add("sqlite-pages", f"good-{kind}-{name}", data)


def tree(directory):
    for name, data in FILES.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        os.utime(path, (10**9, 10**9))


def run(argv, cwd):
    """None if there is no such tool."""
    if not shutil.which(argv[0]):
        return None
    return subprocess.run(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def packed(corpus, lsr):
    with tempfile.TemporaryDirectory() as scratch:
        where = os.path.join(scratch, "in")
        tree(where)
        for target, suffix in (("lsr1", ".tar.zst"), ("sqlite", ".sqlar"), ("zip", ".zip"), ("tar", ".tar")):
            out = os.path.join(scratch, "out" + suffix)
            subprocess.run([lsr, "--pack", "--output=" + out, where], check=True, stderr=subprocess.DEVNULL)
            with open(out, "rb") as f:
                data = f.read()
            corpus.add(target, "good-packed", data)
            if target == "lsr1":
                corpus.add("lsr1-tail", "good", data)
                corpus.add("zstd", "good-lsr1", data)
        for target, argv in TOOLS.items():
            for i, arguments in enumerate(argv):
                data = run(arguments, where)
                if data:
                    corpus.add(target, f"good-{arguments[0]}-{i}", data)
        if run(["lha", "aq1", "../out.lzh", "a", "dir"], where) is not None:
            with open(os.path.join(scratch, "out.lzh"), "rb") as f:
                corpus.add("lha", "good-lha", f.read())


BSDTAR = ["bsdtar", "-c", "-f", "-"]
TOOLS = {
    "7z": [BSDTAR + ["--format=7zip", "a", "dir"], BSDTAR + ["--format=7zip", "--options=compression=store", "a", "dir"]],
    "ar": [BSDTAR + ["--format=arbsd", "a", "dir/b"], BSDTAR + ["--format=arsvr4", "a", "dir/b"]],
    "cpio": [BSDTAR + ["--format=" + f, "a", "dir"] for f in ("newc", "odc", "bin")],
    "iso9660": [BSDTAR + ["--format=iso9660", "a", "dir"]],
    "warc": [BSDTAR + ["--format=warc", "a", "dir"]],
    "compress": [BSDTAR + ["--compress", "a", "dir"]],
    "lzip": [BSDTAR + ["--lzip", "a", "dir"]],
    "zstd": [["zstd", "-cq", "dir/b"], ["zstd", "-cq", "--no-check", "-19", "dir/zeros"]],
    "lz4": [["lz4", "-cq", "dir/b"], ["lz4", "-cq", "-BD", "-B4", "dir/zeros"]],
}


# Formats that no tool here writes: as much of them as makes a probe say yes, by their specifications.
def written(corpus):
    head = struct.pack("<HBHH", 0, 0x73, 0, 13) + bytes(6)  # RAR 1.5: archive header, then one file
    head = struct.pack("<H", zlib.crc32(head[2:]) & 0xFFFF) + head[2:]
    name = b"a"
    body = struct.pack("<BHHIIBIIBBHI", 0x74, 0x8000, 32 + len(name), 6, 6, 3, zlib.crc32(b"hello\n"), 0, 20, 0x30,
                       len(name), 0o100644) + name
    corpus.add("rar", "good-store", b"Rar!\x1a\7\0" + head + struct.pack("<H", zlib.crc32(body) & 0xFFFF) + body
               + b"hello\n")

    def block(data):  # RAR 5: checksum, size, and what it says
        sized = bytes([len(data)]) + data
        return struct.pack("<I", zlib.crc32(sized)) + sized

    file = bytes([2, 2, 6, 4, 6, 0x80 | 36, 3]) + struct.pack("<I", zlib.crc32(b"hello\n")) + bytes([0, 1, 1]) + b"a"
    corpus.add("rar5", "good-store", b"Rar!\x1a\7\1\0" + block(bytes([1, 0, 0])) + block(file) + b"hello\n"
               + block(bytes([5, 0, 0])))
    data = struct.pack("<IHH", 0, 6, 6) + b"hello\n"  # a cabinet: header, folder, file, data
    entry = struct.pack("<IIHHHH", 6, 0, 0, 0x2B2A, 0x0835, 0x20) + b"a\0"
    at = 36 + 8 + len(entry)
    corpus.add("cab", "good-store", b"MSCF" + struct.pack("<IIIIIBBHHHHH", 0, at + len(data), 0, 44, 0, 3, 1, 1, 1, 0, 0, 0)
               + struct.pack("<IHH", at, 1, 0) + entry + data)
    lead = b"\xed\xab\xee\xdb\3\0" + bytes(2) + bytes(68) + b"\0\5" + bytes(16)
    header = b"\x8e\xad\xe8\1" + bytes(4) + struct.pack(">II", 1, 4) + struct.pack(">IIII", 1000, 6, 0, 1) + b"abc\0"
    cpio = b"070701" + b"%08x" * 13 % (1, 0o100644, 0, 0, 1, 10**9, 6, 0, 0, 0, 0, 2, 0) + b"a\0" + b"\0\0hello\n\0\0"
    corpus.add("rpm", "good", lead + header + bytes(4) + header + gzip.compress(cpio))
    level0 = bytes([0, 0]) + b"-lh0-" + struct.pack("<IIIBBB", 6, 6, 0, 0x20, 0, 1) + b"a" + struct.pack("<H", 0)
    level0 = bytes([len(level0) - 2, sum(level0[2:]) & 255]) + level0[2:]
    corpus.add("lha", "good-level-0", level0 + b"hello\n\0")


# --- streams and texts ------------------------------------------------------------


def streams(corpus):
    data = FILES["dir/b"] + bytes(range(256)) * 4
    corpus.add("bzip2", "good", bz2.compress(data) + bz2.compress(b"more"))
    corpus.add("gzip", "good", gzip.compress(data, mtime=0) + gzip.compress(b"more", mtime=0))
    corpus.add("xz", "good", lzma.compress(data))
    corpus.add("xz", "good-bcj", lzma.compress(data, filters=[{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2}]))
    corpus.add("lzma", "good", lzma.compress(data, lzma.FORMAT_ALONE))
    for level in (0, 1, 9):
        for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY):
            z = zlib.compressobj(level, zlib.DEFLATED, -15, 8, strategy)
            corpus.add("inflate", f"good-{level}-{strategy}", b"\7\5" + z.compress(data) + z.flush())
    for name, filtered in (("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress)):
        corpus.add("identify", "good-tar-" + name, filtered(tar(tarfile.GNU_FORMAT)))
    corpus.add("identify", "good-twice", gzip.compress(bz2.compress(tar(tarfile.GNU_FORMAT))))


def texts(corpus):
    corpus.add("colors", "good", b"di=01;34:ln=target:*.c=33:*README=4:ec=\\e[m:rs=0:no=^[\0\x08a.c\0\xffdir\0")
    corpus.add("config", "good", b"# options\n--color=always\n sort  size \r\n\n--time-style=+%d %m\n-l\0-a --icons\t-h\0")
    for i, url in enumerate((b"https://u:p@h:1/d/x.zip/in%20er?q#/i\0https://h:1/y", b"s3://b/a b/x.zip/c\0", b"http://[::1]/x.zip//a\0http://h")):
        corpus.add("url", f"good-{i}", url)
    corpus.add("store", "good", b'<?xml version="1.0"?><R xmlns="x"><UploadId>a&amp;b&lt;&#34;&x;</UploadId><ETag>&quot;1&quot;</ETag>'
               b'<Code>NoSuchKey</Code></R>\0"0123456789abcdef0123456789abcdef"\0"x-2"\0')
    corpus.add("when", "good", b"%Y-%m-%d %H:%M:%S.%N %z %:::z %-e %_5j %^a %#Z %s %q %10000d\0%c %x %X %r %P\0"
               + struct.pack(">QQQQ", 10**9, 1, 1 << 62, 5))
    corpus.add("exclude", "good", b"\3*.o\0/a/**/b\0c/\0operand\0dir/c/x.o\0")
    for i, spec in enumerate((b"K", b"'1", b"10MiB", b"human-readable", b"si", b"KB")):
        corpus.add("human", f"good-{i}", spec + b"\0" + struct.pack(">QQ", 1 << 40, 12345))
    for i, name in enumerate((b"plain", b"with 'quote", b"new\nline\t\x1b[31m", b"\xc3\xa9\xff", b"$(x)`y`\\", b"~", b"a'\n'b")):
        for style in range(10):
            corpus.add("quote", f"good-{i}-{style}", bytes([style]) + name)
            corpus.add("shell", f"good-{i}-{style}", bytes([style]) + name)
    for zone in ("Europe/Berlin", "America/New_York", "UTC"):
        path = "/usr/share/zoneinfo/" + zone
        if os.path.exists(path):
            with open(path, "rb") as f:
                corpus.add("zone", "good-" + zone.replace("/", "-"), f.read())
    corpus.add("zone", "good-small", b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, 0, 1, 4) + bytes(6) + b"UTC\0"
               + b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, 1, 1, 4) + struct.pack(">q", 1) + bytes(7)
               + b"UTC\0\nUTC0\n")


def packs(corpus):
    def item(kind, name, content, times=0):
        return bytes([kind, len(name)]) + name + bytes([len(content)]) + content + (bytes([times]) if kind == 0 else b"")

    items = item(0, b"file", b"hello", 200) + item(1, b"dir", b"") + item(2, b"link", b"target") + item(0, b"\xff\n", b"")
    for writer in range(5):
        corpus.add("pack", f"good-{writer}", bytes([writer]) + items + item(0, b"n" * 255, b"\0" * 255, 255))


def records(corpus, lsr):
    """Records and frames of the protocol, by hand, and a catalogue out of a bundle of ours."""
    def record(path, fields, target=b""):
        present = sum(1 << i for i in fields)
        head = struct.pack("<IIIIQ", present | 1 << 16, 0x1F, 0o100644, 0, len(path) + 1)
        return (head + b"".join(struct.pack("<Q", fields[i]) for i in sorted(fields)) + path + b"\0" + target
                + struct.pack("<II", 1000, 100) + b"ann\0users\0store\0")

    some = record(b"dir/b", {0: 300, 1: 10**9, 9: 301, 10: 512}) + record(b"link", {12: 2}, b"a\0")
    corpus.add("record", "good", some)

    def frame(kind, payload, odd=0):  # 0 TROUBLE, 1 DATA, 2 HOLE, 3 VERIFIED, 4 END, 5 HEAD, 6 MEMBERS, .. 9 DONE
        return bytes([kind, odd]) + struct.pack("<H", len(payload)) + payload

    done = frame(9, struct.pack("<iiII", 0, 0, 0, 0) + b"tar")
    trouble = frame(0, struct.pack("<i", -74) + b"it is damaged")
    corpus.add("wire", "good-scan", b"\0" + frame(6, some) + trouble + done)
    corpus.add("wire", "good-read", b"\3" + frame(1, b"content") + frame(2, struct.pack("<Q", 4096)) + done)
    end = frame(4, struct.pack("<i", 0))
    corpus.add("wire", "good-many", b"\x22" + frame(1, b"content") + frame(3, b"") + end + end + done)
    corpus.add("wire", "good-open", b"\4" + done)
    corpus.add("wire", "good-pipe", b"\4" + frame(5, b"head") + frame(9, struct.pack("<i", 2)))
    corpus.add("wire", "bad-lie", b"\3" + frame(1, b"content", 0xF2) + done)
    with tempfile.TemporaryDirectory() as scratch:
        where, out = os.path.join(scratch, "in"), os.path.join(scratch, "out.tar.zst")
        tree(where)
        subprocess.run([lsr, "--pack", "--output=" + out, where], check=True, stderr=subprocess.DEVNULL)
        with open(out, "rb") as f:
            data = f.read()
    entries, flags = struct.unpack("<IB", data[-9:-4])
    locator = len(data) - 17 - (12 if flags & 0x80 else 8) * entries - 64
    at, packed_len = struct.unpack("<QQ", data[locator + 24 : locator + 40])
    catalogue = unzstd(data[at + 8 : at + 8 + packed_len])
    if catalogue:
        corpus.add("catalogue", "good", catalogue)
        corpus.add("wire", "good-catalogue", b"\0" + frame(7, catalogue) + done)
        corpus.add("wire", "good-part", b"\1" + frame(8, catalogue) + done)
    else:
        corpus.add("catalogue", "bad-empty", b"")


def unzstd(data):
    if not shutil.which("zstd"):
        return None
    return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout


def sessions(corpus):
    """Some requests in front of each bundle that other targets have; two rows of each kind, and back to the first."""
    script = bytes([7]) + bytes([0x26, 2, 0x01, 1, 0x05, 3, 0x11, 2, 0x03, 0, 0x27, 4, 0x00, 0])
    for target in ("tar", "zip", "sqlite", "lsr1", "7z", "cpio", "iso9660", "cab", "ar", "rpm", "lha", "mtree", "warc", "rar", "rar5"):
        directory = os.path.join(corpus.path, target)
        for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            with open(os.path.join(directory, name), "rb") as f:
                corpus.add("session", f"{target}-{name}", script + f.read())


def found(corpus):
    base = os.path.join(HERE, "found")
    for directory, _, names in os.walk(base):
        for name in names:
            if not name.endswith(".hex"):
                continue
            with open(os.path.join(directory, name), encoding="ascii") as f:
                text = "".join(line.split("#")[0] for line in f)
            corpus.add(os.path.relpath(directory, base), "found-" + name[:-4], bytes.fromhex(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True)
    parser.add_argument("dir")
    args = parser.parse_args()
    os.environ["TZ"] = "UTC"
    corpus = Corpus(args.dir)
    lsr = os.path.abspath(args.lsr)
    for make in (tars, zips, encrypted, mtrees, sqlites, written, streams, texts, packs, found):
        make(corpus)
    packed(corpus, lsr)
    records(corpus, lsr)
    sessions(corpus)
    return 0


if __name__ == "__main__":
    sys.exit(main())
