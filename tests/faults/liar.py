#!/usr/bin/env python3
"""liar.py --lsr BINARY [--only TEXT] [--keep DIRECTORY] - a file system that lies

A FUSE server in here, by the protocol of fuse(4), so that it can answer what no library lets one answer: names that come
twice or have no file, wrong types, sizes that change from one look to the next and are not what can be read, errors at an
offset, directories without end, requests without answer.  lsr lists, packs, compares and unpacks it on every engine, and
must end by itself, or at once by SIGINT where the server hangs, with status 0, 1 or 2 and a line for what failed.  Needs root and
/dev/fuse; skipped otherwise.  Prints `N passed, N failed, N skipped`.
"""
import argparse
import ctypes
import errno
import io
import os
import re
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

SECONDS = 30
ENGINES = ["auto", "sync", "threads", "uring"]
MNT_DETACH = 2
HUGE = (1 << 63) - 1

LOOKUP, FORGET, GETATTR, READLINK, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 5, 14, 15, 17, 18
GETXATTR, LISTXATTR, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, INTERRUPT, DESTROY, BATCH_FORGET = 22, 23, 25, 26, 27, 28, 29, 36, 38, 42
DIRECT_IO = 1
DT = {"fifo": 1, "dir": 4, "file": 8, "link": 10, "none": 0, "bad": 15}


class Node:
    """A file, a directory or a link, and its lies: @kind in a directory's list, @says of its size, @error from an offset on,
    @grows by so much at each look, @hangs at a request, @times, @gone: nobody finds it."""

    def __init__(self, mode, data=b"", below=(), kind=None, says=None, error_at=None, grows=0, hangs=None, times=0, gone=False, direct=False, nsec=0):
        self.mode, self.data, self.below, self.kind, self.says = mode, data, below, kind, says
        self.error_at, self.grows, self.hangs, self.times, self.gone, self.direct, self.nsec = error_at, grows, hangs, times, gone, direct, nsec
        self.ino, self.looks = 0, 0


def directory(*below, **lies):
    return Node(stat.S_IFDIR | 0o755, b"", list(below), **lies)


def file(data=b"text\n", **lies):
    return Node(stat.S_IFREG | 0o644, data, **lies)


def archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for i in range(600):
            z.writestr(f"d/a member of some length {i}", bytes(200))
    return out.getvalue()


def tree():
    honest = lambda: [("a", file()), ("b", file(b"x" * 70000)), ("c", directory(("d", file())))]
    loop = directory(("a", file()))
    loop.below.append(("loop", loop))
    endless = [(f"name {i}", file()) for i in range(3)]
    whole = archive()
    return directory(
        ("twice", directory(*honest(), *honest())),
        ("types", directory(("file", file(kind="dir")), ("dir", directory(*honest(), kind="file")), ("link", file(kind="link")),
                            ("none", directory(*honest(), kind="none")), ("bad", file(kind="bad")), ("fifo", file(kind="fifo")))),
        ("gone", directory(*honest(), ("lost", file(gone=True)), ("away", directory(gone=True)))),
        ("names", directory(*honest(), ("a/b", file()))),
        ("dots", directory(*honest(), (".", directory()), ("..", directory()))),
        ("loop", loop),
        ("endless", directory(*endless, grows=1)),
        ("sizes", directory(("grows", file(b"y" * 5000, grows=1000)), ("shrinks", file(b"y" * 5000, grows=-1000)), ("less", file(b"y" * 100, says=1 << 20)),
                            ("more", file(b"y" * 100000, says=10)), ("none", file(b"y" * 100, says=0)))),
        ("direct", directory(("grows", file(b"y" * 5000, grows=1000, direct=True)), ("less", file(b"y" * 100, says=1 << 20, direct=True)),
                             ("more", file(b"y" * 100000, says=10, direct=True)))),
        ("huge", directory(("a", file(says=HUGE)), ("b", file(says=HUGE - 1)))),
        ("errors", directory(("start", file(b"z" * 300000, error_at=0)), ("middle", file(b"z" * 300000, error_at=131072)), ("a", file()))),
        ("times", directory(("old", file(times=-(1 << 40))), ("late", file(times=HUGE)), ("first", file(times=-HUGE - 1)), ("nsec", file(nsec=4000000000)))),
        ("zips", directory(("good.zip", file(whole)), ("end.zip", file(whole, error_at=len(whole) & -4096)), ("start.zip", file(whole, error_at=4096, direct=True)),
                           ("less.zip", file(whole[:90000], says=len(whole))), ("grows.zip", file(whole, grows=-50000)))),
        ("hangs", directory(("list", directory(hangs=READDIR)), ("open", file(hangs=OPEN)), ("read", file(hangs=READ)), ("look", file(hangs=GETATTR)),
                            ("zip", file(whole, hangs=READ)))),
    )


class Liar:
    def __init__(self, where):
        self.where, self.nodes, self.waiting = where, [None], set()
        self.fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        self.number(tree())
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"liar", os.fsencode(where), b"fuse", 0, f"fd={self.fd},rootmode=40000,user_id=0,group_id=0,allow_other".encode()):
            raise OSError(ctypes.get_errno(), "mount")
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def end(self):
        ctypes.CDLL(None).umount2(os.fsencode(self.where), MNT_DETACH)
        os.close(self.fd)

    def number(self, node):
        if not node.ino:
            node.ino = len(self.nodes)
            self.nodes.append(node)
            for _, below in node.below:
                self.number(below)

    def attributes(self, node):
        size = len(node.data) if node.says is None else node.says
        if stat.S_ISREG(node.mode):
            size = max(0, size + node.grows * node.looks)
            node.looks += 1
        when = node.times & (1 << 64) - 1
        return struct.pack("<6Q10I", node.ino, size, (size + 511) // 512, when, when, when, node.nsec, node.nsec, node.nsec,
                           node.mode, 1, 0, 0, 0, 4096, 0)

    def names(self, node, offset, size):
        """From the offset'th on."""
        out, n = b"", offset
        while True:
            if n >= len(node.below) and not node.grows:
                return out
            name, below = node.below[n % len(node.below)]
            name = name.encode() + (b" %d" % n if node.grows else b"")
            kind = DT[below.kind] if below.kind else below.mode >> 12
            entry = struct.pack("<QQII", below.ino, n + 1, len(name), kind) + name
            entry += bytes(-len(entry) % 8)
            # Even without end it ends some day, or nothing could be said.
            if len(out) + len(entry) > size or n >= 20000:
                return out
            out, n = out + entry, n + 1

    def look_up(self, node, name):
        name = name.rstrip(b"\0").decode()
        for known, below in node.below:
            if (known == name or (node.grows and name.startswith(known))) and not below.gone:
                # None of it may be remembered.
                return struct.pack("<QQQQII", below.ino, 0, 0, 0, 0, 0) + self.attributes(below)
        return errno.ENOENT

    def answer(self, op, node, body):
        """The answer, an errno, or None for none."""
        if node and node.hangs == op:
            return None
        if op == INIT:
            return struct.pack("<IIIIHHIIHHI28x", 7, 31, 131072, 0, 12, 9, 131072, 1, 32, 0, 0)
        if op == LOOKUP:
            return self.look_up(node, body)
        if op == GETATTR:
            return struct.pack("<QII", 0, 0, 0) + self.attributes(node)
        if op in (OPEN, OPENDIR):
            return struct.pack("<QII", node.ino, DIRECT_IO if node.direct else 0, 0)
        if op == READDIR:
            _, offset, size = struct.unpack_from("<QQI", body)
            return self.names(node, offset, size)
        if op == READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            if node.error_at is not None and offset + size > node.error_at:
                return errno.EIO
            return node.data[offset : offset + size]
        if op in (RELEASE, RELEASEDIR, FLUSH):
            return b""
        if op == STATFS:
            return struct.pack("<5Q4I24x", 1 << 20, 1 << 19, 1 << 19, 1000, 500, 4096, 255, 4096, 0)
        return errno.ENOSYS

    def reply(self, unique, what):
        error, data = (-what, b"") if isinstance(what, int) else (0, what)
        try:
            os.write(self.fd, struct.pack("<IiQ", 16 + len(data), error, unique) + data)
        except OSError:
            pass  # who asked is gone

    def serve(self):
        while True:
            try:
                message = os.read(self.fd, 1 << 18)
            except OSError as e:
                if e.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                    continue
                return
            _, op, unique, nodeid = struct.unpack_from("<IIQQ", message)
            body = message[40:]
            if op in (FORGET, BATCH_FORGET, DESTROY):
                continue
            if op == INTERRUPT:
                (other,) = struct.unpack_from("<Q", body)
                if other in self.waiting:
                    self.waiting.discard(other)
                    self.reply(other, errno.EINTR)
                continue
            what = self.answer(op, self.nodes[nodeid] if 0 < nodeid < len(self.nodes) else None, body)
            if what is None:
                self.waiting.add(unique)
            else:
                self.reply(unique, what)


class Campaign:
    def __init__(self, args, scratch, mount):
        self.args, self.scratch, self.mount, self.passed, self.failed = args, scratch, mount, 0, 0

    def run(self, engine, argv, interrupted=False):
        made = os.path.join(self.scratch, "made")
        subprocess.run(["rm", "-rf", made], check=True)
        os.mkdir(made)
        env = {"LC_ALL": "C", "TZ": "UTC", "LSR_IO": engine, "PATH": "/usr/bin:/bin", "HOME": made, "ASAN_OPTIONS": "detect_leaks=0"}
        with subprocess.Popen([self.args.lsr, *argv], cwd=self.scratch, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            try:
                if interrupted:
                    time.sleep(0.3)
                    process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=SECONDS)
                status = process.returncode
            except subprocess.TimeoutExpired:
                process.kill()
                out, err = process.communicate()
                status = None
        problem = self.problem(status, err.decode("utf-8", "replace"), interrupted, made, argv[0] == "--diff")
        self.passed += not problem
        self.failed += bool(problem)
        if problem:
            print(f"lsr {' '.join(argv)} (LSR_IO={engine}): {problem}\n    " + err.decode("utf-8", "replace")[:400].replace("\n", "\n    "), flush=True)
        return out

    def problem(self, status, err, interrupted, made, differs):
        if status is None:
            return "it does not end"
        for bad in ("Sanitizer", "runtime error", "Assertion", "smashing", "overflow detected", "was killed (SIG", "broke its rules"):
            if bad in err:
                return f"it says {bad!r}"
        if interrupted:
            left = [name for name in os.listdir(made) if not name.startswith(".cache")]
            return f"it left {left[0]}" if left else f"status {status}" if status not in (-signal.SIGINT, 130, 0, 1, 2) else None
        if status not in (0, 1, 2):
            return f"status {status}"
        if status and not re.search("^lsr: ", err, re.M) and not (status == 1 and differs):
            return f"status {status}, and nothing is said"
        return None

    def all(self):
        m = self.mount
        for engine in ENGINES if not self.args.quick else ["auto", "uring"]:
            for name in ("twice", "types", "gone", "names", "dots", "loop", "endless", "sizes", "direct", "huge", "errors", "times", "zips"):
                if self.args.only not in f"{name} {engine}":
                    continue
                d = f"{m}/{name}"
                for options in (["-l"], ["-lRAi", "--color=always"], ["--tree", "-l", "--level=5"], ["--json", "-R"], ["-lF", "--total-size"], ["-U1"], ["-s", "--bundles=always", "-R"]):
                    if name != "loop" or "-R" not in "".join(options) and "--total-size" not in options:
                        self.run(engine, [*options, d])
                # A file that is shorter than it says is padded, as by tar: what it says of huge ones takes for ever.
                if name in ("loop", "endless", "huge"):
                    continue
                for form in ("tar.zst", "zip", "sqlar", "tar") if not self.args.quick else ("tar.zst",):
                    self.run(engine, ["--pack", f"--output=made/x.{form}", d])
                    if os.path.exists(f"{self.scratch}/made/x.{form}"):
                        self.checked(f"{self.scratch}/made/x.{form}", f"--pack {form} {name} {engine}")
                self.run(engine, ["--diff", "--content", d, d])
            for name in ("good", "end", "start", "less", "grows"):
                if self.args.only in f"zips {name} {engine}":
                    z = f"{m}/zips/{name}.zip"
                    for argv in (["-lR", z], ["--check", z], ["--cat", z + "/d/a member of some length 7"], ["--unpack", z, "--output=made"]):
                        self.run(engine, argv)
            for argv in ("-l HERE/list", "-R HERE/list", "-l HERE/look", "-lR HERE/zip/", "--check HERE/zip", "--cat HERE/zip/d",
                         "--unpack HERE/zip --output=made", "--pack --output=made/x.zip HERE/read", "--pack --output=made/x.tar.zst HERE/open",
                         "--diff HERE/list HERE/list"):
                if self.args.only in f"hangs {argv} {engine}":
                    self.run(engine, argv.replace("HERE", f"{m}/hangs").split(), interrupted=True)

    def checked(self, path, what):
        done = subprocess.run([self.args.lsr, "--check", path], capture_output=True, check=False)
        self.passed += done.returncode == 0
        self.failed += done.returncode != 0
        if done.returncode:
            print(f"{what}: --check has status {done.returncode}\n    " + done.stderr.decode("utf-8", "replace")[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True, type=os.path.abspath)
    parser.add_argument("--only", default="", help="runs with this text in what lies and the engine")
    parser.add_argument("--quick", action="store_true", help="two engines and one format")
    parser.add_argument("--keep", help="only mount it there, until ^C")
    args = parser.parse_args()
    if os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
        print("needs root and /dev/fuse\n0 passed, 0 failed, 1 skipped")
        return 0
    # Where a shell runs this behind its back SIGINT is ignored, and lsr would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if args.keep:
        liar = Liar(args.keep)
        try:
            liar.thread.join()
        finally:
            liar.end()
    with tempfile.TemporaryDirectory(prefix="lsr-liar-") as scratch:
        os.mkdir(f"{scratch}/mount")
        liar = Liar(f"{scratch}/mount")
        try:
            campaign = Campaign(args, scratch, f"{scratch}/mount")
            campaign.all()
        finally:
            liar.end()
    print(f"{campaign.passed} passed, {campaign.failed} failed")
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
