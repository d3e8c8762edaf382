#!/usr/bin/env python3
"""bombs.py --lsr BINARY [--filter NAME] [--table] [--timeout S] - small bundles that mean to take all there is

Each bomb is made here, listed with everything in it (-R --bundles=always) and checked, by lsr and by the tools that know
its format.  Of lsr must hold what docs/security.md promises: it ends by itself within its processor time, its two
processes take no more memory than the limits say, no process is killed, and what it does not show it says.  Prints
`N passed, N failed`; --table prints the figures as a table in between.
"""
import argparse
import gzip
import io
import os
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
import zlib

MIB = 1 << 20
ROOM = 8 << 30  # of addresses, for the tools that have no limit
SECONDS = 60  # of processor time for a small file; a request may get half of it again


# --- bombs ----------------------------------------------------------------------------


def save(path, *parts):
    with open(path, "wb") as f:
        for part in parts:
            f.write(part)


def deflated(size):
    """So many zeros, as deflate has them, and their checksum."""
    z, crc, out, piece = zlib.compressobj(9, zlib.DEFLATED, -15), 0, [], bytes(MIB)
    for at in range(0, size, MIB):
        part = piece[: min(MIB, size - at)]
        out.append(z.compress(part))
        crc = zlib.crc32(part, crc)
    return b"".join(out) + z.flush(), crc


def local(name, data, size, crc):
    return struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 33, crc, len(data), size, len(name), 0) + name + data


def central(name, at, packed, size, crc):
    return struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 8, 0, 33, crc, packed, size, len(name), 0, 0, 0, 0, 0, at) + name


def end(n, size, at):
    return struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, n, n, size, at, 0)


def zip_of(names, data, size, crc):
    """A zip of members that each have the same content."""
    body, directory = [], []
    at = 0
    for name in names:
        directory.append(central(name, at, len(data), size, crc))
        body.append(local(name, data, size, crc))
        at += len(body[-1])
    return b"".join(body + directory) + end(len(names), sum(map(len, directory)), at)


def nested_zip(path):
    """Sixteen zips in each of sixteen in each ...: five levels, 256 TiB."""
    data, crc = deflated(256 * MIB)
    inner, size = zip_of([b"%02d.zeros" % i for i in range(16)], data, 256 * MIB, crc), 0
    for _ in range(4):
        size = len(inner)
        packed = zlib.compressobj(9, zlib.DEFLATED, -15)
        whole = packed.compress(inner) + packed.flush()
        inner = zip_of([b"%02d.zip" % i for i in range(16)], whole, size, zlib.crc32(inner))
    save(path, inner)


def overlapping_zip(path):
    """65,000 members of 64 MiB that are the same bytes of the file: 4 TiB."""
    data, crc = deflated(64 * MIB)
    directory = b"".join(central(b"%05d" % i, 0, len(data), 64 * MIB, crc) for i in range(65000))
    head = local(b"00000", data, 64 * MIB, crc)
    save(path, head, directory, end(65000, len(directory), len(head)))


def matryoshka(path):
    """A zip in a zip in a zip: 1,000 of them, as the copy of itself in a quine goes on."""
    inner = b"the last"
    for _ in range(1000):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("next.zip", inner)
        inner = out.getvalue()
    save(path, inner)


def gzips(path):
    """A tar of 10 GiB of zeros, compressed three times; each takes a thousandth."""
    info = tarfile.TarInfo("zeros")
    info.size = 10 << 30
    once = subprocess.Popen(["gzip", "-1c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    twice = subprocess.Popen("gzip -9c | gzip -9c", shell=True, stdin=once.stdout, stdout=subprocess.PIPE)
    once.stdout.close()
    once.stdin.write(info.tobuf(tarfile.GNU_FORMAT))
    for _ in range(info.size // (16 * MIB)):
        once.stdin.write(bytes(16 * MIB))
    once.stdin.close()
    save(path, twice.stdout.read())


def gzips_20(path):
    """A text, compressed twenty times."""
    data = b"text\n"
    for _ in range(20):
        data = gzip.compress(data, mtime=0)
    save(path, data)


def zeros_zst(path):
    """A tar of 128 GiB of zeros: frames of 1 GiB, each 33 KiB."""
    info = tarfile.TarInfo("zeros")
    info.size = 128 << 30
    frame = subprocess.run("head -c 1G /dev/zero | zstd -qc", shell=True, stdout=subprocess.PIPE, check=True).stdout
    head = subprocess.run(["zstd", "-qc"], input=info.tobuf(tarfile.GNU_FORMAT), stdout=subprocess.PIPE, check=True).stdout
    save(path, head, *[frame] * 128)


def sqlite(path, *statements):
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def views(path):
    """100 views that never end, on top of each other."""
    endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"
    first = [f"CREATE VIEW v0 AS {endless}", "CREATE TABLE t(a)", "INSERT INTO t VALUES(1)"]
    sqlite(path, *first, *(f"CREATE VIEW v{i} AS SELECT a.n FROM v{i - 1} a, v{i - 1} b ORDER BY 1" for i in range(1, 100)))


def large_view(path):
    """A view of a value of 900 MB for each of a million rows."""
    rows = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 1000000)"
    sqlite(path, f"CREATE VIEW v AS {rows} SELECT n, hex(zeroblob(450000000)) AS x FROM r ORDER BY x")


def tar_header(name, size, kind=b"0", magic=b"ustar\x0000"):
    h = bytearray(512)
    h[: len(name)] = name
    h[100:124] = b"0000644\0" * 3
    h[124:136] = b"%011o\0" % size if size < 1 << 33 else b"\x80" + size.to_bytes(11, "big")
    h[136:148] = b"00000000000\0"
    h[156:157] = kind
    h[257 : 257 + len(magic)] = magic
    h[148:156] = b" " * 8
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h)


def padded(data):
    return data + bytes(-len(data) % 512)


def record(key, value):
    n = len(key) + len(value) + 3
    while n != len(key) + len(value) + 3 + len(str(n)):
        n = len(key) + len(value) + 3 + len(str(n))
    return b"%d %s=%s\n" % (n, key, value)


def sparse_tar(path):
    """Eight files of 1 PiB, all holes."""
    parts = []
    for i in range(8):
        text = b"".join(record(b"GNU.sparse." + k, v) for k, v in ((b"major", b"1"), (b"minor", b"0"),
                        (b"name", b"hole%d" % i), (b"realsize", b"%d" % (1 << 50))))
        parts += [tar_header(b"x", len(text), b"x"), padded(text), tar_header(b"hole", 512), padded(b"1\n%d\n0\n" % (1 << 50))]
    save(path, *parts, bytes(1024))


def claimed_tar(path):
    """A member that claims 8 EiB."""
    save(path, tar_header(b"a", 0), tar_header(b"huge", (1 << 63) - 1024), bytes(4096))


def pax_flood(path):
    """60 MB of extended headers: 100,000 attributes of a member, 100,000 headers for all, a path of 1 MB."""
    attributes = b"".join(record(b"SCHILY.xattr.user.%d" % i, b"") for i in range(30000))
    parts = [tar_header(b"x", len(attributes), b"x"), padded(attributes), tar_header(b"a", 0)] * 4
    common = record(b"SCHILY.xattr.user.global", b"x" * 4000)
    parts += [tar_header(b"g", len(common), b"g"), padded(common), tar_header(b"b", 0)] * 10000
    long = record(b"path", b"d/" * 520000)
    parts += [tar_header(b"x", len(long), b"x"), padded(long), tar_header(b"c", 0)] * 8
    with gzip.open(path, "wb", 1) as f:
        f.write(b"".join(parts) + bytes(1024))


def deep_tar(path):
    """30,000 paths of 4,000 directories each: 120 million directories."""
    with open(path, "wb") as out:
        zstd = subprocess.Popen(["zstd", "-qc"], stdin=subprocess.PIPE, stdout=out)
        for i in range(30000):
            name = b"%d" % i + b"/a" * 3998 + b"/f\0"
            zstd.stdin.write(tar_header(b"././@LongLink", len(name), b"L", b"ustar  \0") + padded(name))
            zstd.stdin.write(tar_header(name[:100], 0, b"0", b"ustar  \0"))
        zstd.stdin.write(bytes(1024))
        zstd.stdin.close()
        zstd.wait()


def claiming_zip(path):
    """An end that claims 10^9 members."""
    directory = central(b"a", 0, 5, 0, 0)
    head = local(b"a", zlib.compress(b"")[2:-4], 0, 0)
    at = len(head) + len(directory)
    zip64 = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 10**9, 10**9, 46 * 10**9, len(head))
    save(path, head, directory, zip64, struct.pack("<IIQI", 0x07064B50, 0, at, 1),
         struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def seven_zip(header):
    return (b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(struct.pack("<QQI", 0, len(header), zlib.crc32(header))))
            + struct.pack("<QQI", 0, len(header), zlib.crc32(header)) + header)


def claiming_7z(path):
    """A header that claims 10^9 files without content."""
    n = b"\xf0" + struct.pack("<I", 10**9)
    save(path, seven_zip(b"\1\5" + n + b"\x0e" + b"\xf0" + struct.pack("<I", 125000000) + b"\xff" * 1000 + b"\0\0"))


def claiming_cpio(path):
    """Members that claim names and contents of 4 GiB."""
    head = b"070701" + b"%08x" * 13 % (1, 0o100644, 0, 0, 1, 0, 0xFFFFFFFF, 0, 0, 0, 0, 0xFFFFFFFF, 0)
    save(path, head * 1000)


def zstd_window(path):
    """A frame that wants a window of 3.75 TiB."""
    save(path, b"\x28\xb5\x2f\xfd\0\xff", b"\1\0\0" * 1000)


def zstd_long(path):
    """A window of 2 GiB that is filled: what zstd --ultra --long=31 makes."""
    with open(path, "wb") as out:
        subprocess.run("(printf x; head -c 2200M /dev/zero) | zstd -qc1 --ultra --long=31", shell=True, stdout=out, check=True)


def lzma_dictionary(path):
    """A dictionary of 4 GiB is wanted for 6 bytes."""
    import lzma

    data = lzma.compress(tar_header(b"a", 0) + bytes(1024), lzma.FORMAT_ALONE)
    save(path, data[:1], b"\xff\xff\xff\xff", data[5:])


BOMBS = {
    "nested.zip": nested_zip, "overlap.zip": overlapping_zip, "self.zip": matryoshka, "gz3.tar.gz": gzips, "gz20.gz": gzips_20,
    "zeros.tar.zst": zeros_zst, "views.db": views, "value.db": large_view, "holes.tar": sparse_tar, "claim.tar": claimed_tar,
    "pax.tar.gz": pax_flood, "deep.tar.zst": deep_tar, "claim.zip": claiming_zip, "claim.7z": claiming_7z, "claim.cpio": claiming_cpio,
    "window.zst": zstd_window, "long.zst": zstd_long, "dict.tar.lzma": lzma_dictionary,
}  # fmt: skip


# --- runs ------------------------------------------------------------------------------


def processes(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            below = [int(word) for word in f.read().split()]
    except OSError:
        below = []
    return [pid] + [p for child in below for p in processes(child)]


def most(pid):
    """Bytes that a process has had at most."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) << 10 for line in f if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return 0


class Run:
    """A command: its time, the peak of all its processes together, its status (None: it was ended), what it complained of."""

    def __init__(self, argv, cwd, timeout, room):
        def limit():
            os.setsid()
            if room:
                resource.setrlimit(resource.RLIMIT_AS, (room, room))

        start = time.monotonic()
        with tempfile.TemporaryFile() as complaints:
            child = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints, preexec_fn=limit)
            peak, self.peak = {}, 0
            while child.poll() is None and time.monotonic() < start + timeout:
                alive = processes(child.pid)
                peak.update({pid: max(peak.get(pid, 0), most(pid)) for pid in alive})
                self.peak = max(self.peak, sum(peak[pid] for pid in alive))
                time.sleep(0.005)
            self.status = child.poll()
            if self.status is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            self.seconds = time.monotonic() - start
            complaints.seek(0)
            self.text = complaints.read().decode(errors="replace")

    def __str__(self):
        how = "not ended" if self.status is None else f"{self.status}"
        # What ends within a few looks was hardly seen.
        memory = f"{self.peak / MIB:.0f} MiB, " if self.seconds >= 0.1 else ""
        return f"{self.seconds:.1f} s, {memory}{how}"


PEERS = {
    "bsdtar": (["bsdtar", "-tf"], ["bsdtar", "-xOf"]),
    "unzip": (["unzip", "-l"], ["unzip", "-p"]),
    "7z": (["7z", "l"], ["7z", "t"]),
}


def knows(tool, name):
    return shutil.which(tool) and not name.endswith(".db") and (tool != "unzip" or name.endswith(".zip"))


def wrong(run, size, timeout):
    """What of the promises does not hold."""
    room = 64 * MIB + 128 * size + min(1024 * MIB + 256 * size, 4096 * MIB) + 1024 * MIB
    if run.status is None:
        return f"did not end in {timeout} s"
    if run.status not in (0, 1, 2):
        return f"status {run.status}"
    if run.peak > room:
        return f"{run.peak / MIB:.0f} MiB are more than {room / MIB:.0f}"
    if "was killed" in run.text or "broke its rules" in run.text or "ran out of memory" in run.text:
        return run.text.strip()
    return None if run.status == 0 or run.text.startswith("lsr: ") else "nothing is said"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--filter", default="")
    parser.add_argument("--table", action="store_true", help="beside other tools")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for lsr")
    parser.add_argument("--patience", type=int, default=30, help="seconds for other tools")
    args = parser.parse_args()
    lsr, passed, failed = os.path.abspath(args.lsr), 0, 0
    os.environ.update(LC_ALL="C", TZ="UTC")
    if args.table:
        print("| bomb | bytes | command | lsr | " + " | ".join(PEERS) + " |\n| --- | --: | --- | --- |" + " --- |" * len(PEERS))
    for name, make in BOMBS.items():
        if args.filter not in name:
            continue
        with tempfile.TemporaryDirectory(prefix="lsr-bombs-") as scratch:
            make(os.path.join(scratch, name))
            size = os.path.getsize(os.path.join(scratch, name))
            commands = [lsr, "--no-cache", "-R", "--bundles=always", name], [lsr, "--check", name]
            for which, command in enumerate(commands):
                run = Run(command, scratch, args.timeout, None)
                problem = wrong(run, size, args.timeout)
                passed += not problem
                failed += bool(problem)
                if problem:
                    print(f"{name}: {' '.join(command[1:])}: {problem}")
                if args.table:
                    others = (str(Run(argv[which] + [name], scratch, args.patience, ROOM)) if knows(tool, name) else "-"
                              for tool, argv in PEERS.items())
                    print(f"| {name} | {size:,} | {['list', 'read'][which]} | {run} | {' | '.join(others)} |", flush=True)
                    first = run.text.strip().split("\n")
                    print(f"    {first[0][:160]}", file=sys.stderr, flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
