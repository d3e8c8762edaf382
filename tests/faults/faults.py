#!/usr/bin/env python3
"""faults.py --lsr BINARY --inject PROGRAM [--each N] [--seed N] [--only TEXT] - commands of which one call fails

Every command is run on every engine, and each of its system calls fails in turn, with each error that fits, alone or with
all later ones of its kind (tests/faults/inject.c); so does every Nth operation of an engine (--io=fault); and a bundle is
cut short before each call.  What must hold: all is done as without the fault, or the status is 1 or 2 and a line on
standard error says why; no crash, no report, no end that does not come within half a minute; what is shown is a part of what
there is; no file is half of one under its own name; sources are what they were; and nothing lies beside what is made.
--each N tries so many for a command, chosen at random, in place of all.  Prints how often what came of it, and
`N passed, N failed`.
"""
import argparse
import collections
import concurrent.futures
import gzip
import os
import queue
import random
import re
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zlib

SECONDS = 30
ENGINES = ["auto", "sync", "threads", "uring"]

OPEN, READ, WRITE, MAKE = ["EMFILE", "EIO"], ["EIO", "EINTR"], ["ENOSPC", "EDQUOT", "EIO", "EINTR"], ["ENOSPC", "EDQUOT", "EIO"]
STAT, META, NONE, MEMORY, MORE = ["EIO", "ENOMEM"], ["EPERM", "EIO"], ["EINVAL"], ["ENOMEM"], ["EMFILE", "ENOMEM"]
XATTR = ["EIO", "ENOMEM", "EOPNOTSUPP"]
ERRORS = {
    "openat": OPEN + ["ENOENT"], "openat2": OPEN + ["EAGAIN"], "open": OPEN, "read": READ, "pread64": READ, "readv": READ,
    "preadv": READ, "preadv2": READ, "getdents64": READ, "statx": STAT, "newfstatat": STAT, "fstat": STAT,
    "stat": STAT, "lstat": STAT, "write": WRITE, "writev": WRITE, "pwrite64": WRITE, "pwritev": WRITE,
    "copy_file_range": MAKE + ["EOPNOTSUPP"], "sendfile": MAKE, "fsync": MAKE, "fdatasync": MAKE, "ftruncate": MAKE + ["EFBIG"],
    "fallocate": MAKE + ["EOPNOTSUPP"], "linkat": MAKE + ["EPERM"], "renameat": MAKE, "renameat2": MAKE + ["EINVAL"],
    "rename": MAKE, "link": MAKE, "mkdirat": MAKE, "mkdir": MAKE, "symlinkat": MAKE, "mknodat": MAKE + ["EPERM"],
    "unlinkat": META, "unlink": META, "fchmod": META, "fchmodat": META, "chmod": META, "fchown": META, "fchownat": META,
    "utimensat": META, "setxattr": MAKE, "lsetxattr": MAKE, "fsetxattr": MAKE + ["EOPNOTSUPP"], "close": ["EIO", "EDQUOT"],
    "dup": ["EMFILE"], "pipe": MORE, "pipe2": MORE, "socketpair": MORE, "memfd_create": MORE,
    "clone": ["EAGAIN"], "clone3": ["EAGAIN"], "fork": ["EAGAIN"], "vfork": ["EAGAIN"], "execve": MEMORY, "execveat": MEMORY,
    "wait4": ["EINTR"], "waitid": ["EINTR"], "unshare": ["EPERM"], "prlimit64": ["EPERM"], "mmap": MEMORY, "mremap": MEMORY,
    "mprotect": MEMORY, "munmap": MEMORY, "madvise": NONE + ["EAGAIN"], "io_uring_setup": ["ENOMEM", "EPERM", "EMFILE"],
    "io_uring_enter": ["EINTR", "EAGAIN", "EBUSY"], "io_uring_register": NONE + MEMORY, "sendmsg": ["ENOBUFS", "EINTR"],
    "recvmsg": ["ENOMEM", "EINTR"], "poll": ["EINTR", "ENOMEM"], "ppoll": ["EINTR", "ENOMEM"], "getrandom": ["ENOSYS"],
    "sched_getaffinity": ["ENOSYS"], "cachestat": ["ENOSYS"], "statfs": STAT, "fstatfs": STAT, "lseek": NONE, "flock": ["EINTR"],
    "readlink": STAT, "readlinkat": STAT, "access": STAT, "faccessat": STAT, "faccessat2": STAT + ["ENOSYS"], "getcwd": ["ENOENT"] + MEMORY,
    # EOPNOTSUPP to a list is true: a file system has none.
    "listxattr": STAT, "llistxattr": STAT, "flistxattr": STAT, "listxattrat": STAT + ["ENOSYS"],
    "getxattr": XATTR, "lgetxattr": XATTR, "fgetxattr": XATTR, "getxattrat": XATTR + ["ENOSYS"],
    "ioctl": ["EOPNOTSUPP", "EIO"], "fcntl": NONE + ["EMFILE", "EAGAIN"], "fadvise64": NONE, "dup2": ["EMFILE", "EBUSY"], "dup3": ["EMFILE", "EBUSY"],
    "prctl": NONE, "seccomp": NONE + MEMORY, "ptrace": ["EPERM"], "sched_setaffinity": NONE, "pidfd_open": ["ENOSYS", "EMFILE"], "rmdir": META,
}
TABLE = rb" failed: | did not see the same bytes"  # where --compare says what failed
OWN = r"LeakSanitizer has encountered a fatal error|AddressSanitizer [gs]etrlimit\(\) failed|CHECK failed: sanitizer_"
MEMORY_CALLS = {"mmap", "mremap", "munmap", "mprotect", "madvise"}
LASTING = {"ENOSPC", "EDQUOT", "EIO", "EMFILE", "ENOMEM", "EPERM", "ENOSYS"}

# --- what is read and made ---------------------------------------------------------------


def text(n, seed):
    return b"".join(b"line %d of %d\n" % (i, seed) for i in range(n // 14 + 1))[:n]


def acl(mode, user):
    """By which a user may read, as acl(5) and linux/posix_acl_xattr.h have it."""
    entries = [(1, mode >> 6, 0xFFFFFFFF), (2, 4, user), (4, mode >> 3, 0xFFFFFFFF), (16, mode >> 3, 0xFFFFFFFF), (32, mode, 0xFFFFFFFF)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", tag, bits & 7, who) for tag, bits, who in entries)


def make_tree(path, seed):
    rng = random.Random(seed)
    os.makedirs(f"{path}/d/deep")
    os.makedirs(f"{path}/empty")
    files = {"a": b"", "b": text(100, seed), "d/c": text(5000, seed), "d/deep/e": rng.randbytes(300000), "d/f": b"the same\n"}
    for name, data in files.items():
        with open(f"{path}/{name}", "wb") as f:
            f.write(data)
    os.symlink("d/c", f"{path}/link")
    os.link(f"{path}/b", f"{path}/twin")
    try:
        os.setxattr(f"{path}/b", "user.colour", b"red")
        os.setxattr(f"{path}/d/c", "user.size", b"large")
        os.setxattr(f"{path}/d/c", "system.posix_acl_access", acl(0o644, 1000))
    except OSError:
        pass  # not every file system has them
    for i, (directory, names, others) in enumerate(os.walk(path, topdown=False)):
        for name in names + others + ["."]:
            os.utime(os.path.join(directory, name), (1e9 + i, 1e9 + i), follow_symlinks=False)


def make_database(path, rows, size):
    """A database of tables, or of an archive if it is called so."""
    db = sqlite3.connect(path)
    rng = random.Random(rows)
    if path.endswith("sqlar"):
        db.execute("CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)")
        for i in range(rows):
            data = rng.randbytes(size)
            db.execute("INSERT INTO sqlar VALUES (?,?,?,?,?)", (f"d{i % 7}/f{i}", 0o100644, 10**9, size, min(data, zlib.compress(data), key=len)))
    else:
        db.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB)")
        db.executemany("INSERT INTO t VALUES (?,?,?)", ((i, f"row {i}", rng.randbytes(size)) for i in range(rows)))
    db.commit()
    db.close()


class Place:
    """A scratch directory with all that commands read; what they make is in made/."""

    def __init__(self, lsr, path, wide):
        self.lsr, self.path = lsr, path
        os.makedirs(path)
        make_tree(f"{path}/tree", 1)
        make_tree(f"{path}/other", 2)
        for form in ("tar.zst", "zip", "sqlar", "tar"):
            self.run(["--pack", f"--output=x.{form}", "tree"])
        with tarfile.open(f"{path}/x.tar.gz", "w:gz") as t:
            t.add(f"{path}/tree", "tree")
            big = tarfile.TarInfo("tree/big")
            big.size = 2 << 20
            with open("/dev/urandom", "rb") as f:
                t.addfile(big, f)
        make_database(f"{path}/x.db", 20, 100)
        with open(f"{path}/x.zip", "rb") as f, gzip.open(f"{path}/x.zip.gz", "wb") as to:
            to.write(f.read())
        if wide:
            make_database(f"{path}/wide.db", 800, 1000)
            make_database(f"{path}/wide.sqlar", 800, 1000)
            os.mkdir(f"{path}/many")
            for i in range(9000):
                with open(f"{path}/many/a name of some length, of which there are many, {i * 7919 % 9001:05}", "wb"):
                    pass
            self.run(["--pack", "--output=wide.tar.zst", "many"])
            shutil.rmtree(f"{path}/many")
        self.sources = {name: marks(f"{path}/{name}") for name in os.listdir(path)}

    def environment(self, engine="auto"):
        return {"LC_ALL": "C", "TZ": "UTC", "HOME": self.path, "XDG_CACHE_HOME": f"{self.path}/made/cache", "LSR_IO": engine,
                "PATH": "/usr/bin:/bin", "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_sigbus=0", "UBSAN_OPTIONS": "halt_on_error=1"}

    def run(self, argv):
        subprocess.run([self.lsr, *argv], cwd=self.path, env=self.environment(), capture_output=True, check=True)

    def reset(self, command):
        shutil.rmtree(f"{self.path}/made", ignore_errors=True)
        os.mkdir(f"{self.path}/made")
        if command.over == "file":
            shutil.copyfile(f"{self.path}/x.db", f"{self.path}/made/{command.makes}")
        elif command.over == "tree":
            shutil.copytree(f"{self.path}/other", f"{self.path}/made/out/tree", symlinks=True)


def marks(path):
    """What changes if anything below it does: nobody sets a ctime."""
    st = os.lstat(path)
    found = [(path, st.st_ino, st.st_mode, st.st_size, st.st_mtime_ns, st.st_ctime_ns)]
    return found + [mark for name in sorted(os.listdir(path)) for mark in marks(f"{path}/{name}")] if stat.S_ISDIR(st.st_mode) else found


def contents(path):
    """All that is below: what it is, its mode, its time, what is in it, and its attributes."""
    st = os.lstat(path)
    if stat.S_ISDIR(st.st_mode):
        found = {"": ("directory", stat.S_IMODE(st.st_mode), st.st_mtime_ns)}
        for name in os.listdir(path):
            found.update({f"/{name}{rest}": what for rest, what in contents(f"{path}/{name}").items()})
        return found
    if stat.S_ISLNK(st.st_mode):
        return {"": ("link", 0, st.st_mtime_ns, os.readlink(path))}
    with open(path, "rb") as f:
        return {"": ("file", stat.S_IMODE(st.st_mode), st.st_mtime_ns, f.read(), {name: os.getxattr(path, name) for name in os.listxattr(path)})}


class Command:
    """@makes: what it makes in made/, a file or `out`; @over: what is there before; @cuts: what gets shorter."""

    def __init__(self, name, *argv, makes=None, over=None, cuts=None, shows=True, same=True):
        self.name, self.argv, self.makes, self.over, self.cuts = name, argv, makes, over, cuts
        self.shows, self.same = shows, same  # its output is a listing; is the same each time


def commands():
    full = "--time-style=full-iso"
    yield Command("list -l", "-l", full, "tree")
    yield Command("list -lRA", "-lRA", full, "tree", "other")
    yield Command("list --tree", "--tree", "-l", full, "tree")
    yield Command("list --json", "--json", "-R", "tree")
    # What cannot be read adds nothing to a total.
    yield Command("list --total-size", "-l", full, "--total-size", "tree", same=False)
    for form in ("tar.zst", "zip", "sqlar", "tar", "tar.gz", "db", "zip.gz/"):
        yield Command(f"list {form}", "-lR", full, f"x.{form}")
    for form in ("tar.zst", "zip", "sqlar"):
        yield Command(f"cat {form}", "--cat", f"x.{form}/tree/d/c", f"x.{form}/tree/b", shows=False)
        yield Command(f"check {form}", "--check", f"x.{form}")
        yield Command(f"unpack {form}", "--unpack", f"x.{form}", "--output=made/out", makes="out")
        yield Command(f"unpack --force {form}", "--unpack", "--force", f"x.{form}", "--output=made/out", makes="out", over="tree")
        yield Command(f"pack {form}", "--pack", f"--output=made/y.{form}", "tree", makes=f"y.{form}")
        yield Command(f"pack --force {form}", "--pack", "--force", f"--output=made/y.{form}", "tree", makes=f"y.{form}", over="file")
    yield Command("convert", "--pack", "--output=made/y.zip", "x.tar.zst", makes="y.zip")
    yield Command("diff", "--diff", "--content", "tree", "x.zip")
    yield Command("diff other", "--diff", "--content", "other", "x.tar.zst")
    yield Command("compare", "--compare", "--runs=1", "--formats=tar,zip", "tree", shows=False, same=False)


def cut_commands():
    # What is cut has changed this minute, or in the next one.
    year = "--time-style=+%Y"
    for form in ("db", "sqlar", "tar.zst"):
        yield Command(f"cut list {form}", "-lR", year, f"wide.{form}", cuts=f"wide.{form}")
    yield Command("cut look sqlar", "-l", year, "wide.sqlar/d3", cuts="wide.sqlar")
    yield Command("cut cat sqlar", "--cat", "wide.sqlar/d3/f10", "wide.sqlar/d5/f719", cuts="wide.sqlar", shows=False)
    yield Command("cut check db", "--check", "wide.db", cuts="wide.db")
    for form in ("zip", "sqlar", "tar.zst", "tar.gz"):
        yield Command(f"cut unpack {form}", "--unpack", f"x.{form}", "--output=made/out", makes="out", cuts=f"x.{form}")


# --- one run ---------------------------------------------------------------------------


class Outcome:
    def __init__(self, status, out, err, report):
        self.status, self.out, self.err, self.report = status, out, err, report


def attempt(place, command, engine, inject, at, error):
    place.reset(command)
    report = f"{place.path}/made.report"
    argv = [inject, report, str(at), error, place.lsr, *command.argv] if inject else [place.lsr, *command.argv]
    with subprocess.Popen(argv, cwd=place.path, env=place.environment(engine), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=SECONDS)
            status = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            status = None
    lines = []
    if inject:
        with open(report, encoding="utf-8") as f:
            lines = f.read().split("\n")[:-1]
    return Outcome(status, out, err, lines)


def lines_of(out):
    """As a set, whatever the columns' widths are, whether users are names or numbers, and without targets."""
    lines = (re.sub(rb'"(user|group|target)":"[^"]*",?| -> .*', b"", re.sub(rb" +", b" ", line)) for line in out.split(b"\n"))
    return {re.sub(rb"\broot\b", b"0", line).strip() for line in lines}


def name_of(line):
    """What a line is about: in a listing the rest may be less where less is known."""
    found = re.search(rb'"path":"([^"]*)"', line)
    return found[1] if found else line.split(b" ")[-1] if re.match(rb"[-dlp?]\S{9}", line) else line


class Judge:
    def __init__(self, place, command, engine):
        self.place, self.command = place, command
        self.whole = attempt(place, command, engine, None, 0, None)
        self.lines = lines_of(self.whole.out)
        self.made = contents(f"{place.path}/made")
        self.listing = command.makes and command.makes != "out" and self.listed(f"/{command.makes}")
        # What cannot be looked at is a file like others.
        never = Command(command.name, "--bundles=never", *command.argv)
        self.others = [lines_of(attempt(place, never, engine, None, 0, None).out)] if command.argv[0] == "-lR" else []
        self.before = contents(f"{place.path}/other") if command.over == "tree" else {}

    def problems(self, got, failing, error, others=()):
        """What is wrong with an outcome, if anything; @others: what else may be printed."""
        err = got.err.decode("utf-8", "replace")
        name, first = (failing[0].split() + [""])[:2] if failing else ("", "")
        if got.status is None:
            return "it does not end"
        if re.search(OWN, err):
            return None  # the call was the sanitizer's
        for bad in ("Sanitizer", "runtime error", "Assertion", "smashing", "overflow detected", "was killed (SIG", "broke its rules"):
            if bad in err:
                return f"it says {bad!r}"
        if got.status == 127 and "error while loading" in err:
            return None  # libc ends its start
        if got.status not in (0, 1, 2):
            return f"status {got.status}"
        if got.status == 0 and self.command.same and lines_of(got.out) not in (self.lines, *self.others, *others):
            return "other output, and status 0"
        unheard = name in ("write", "writev") and (first == "2" or error.endswith("+"))
        if got.status != self.whole.status and not re.search("^lsr: ", err, re.M) and not unheard and not re.search(TABLE, got.out):
            return f"status {got.status}, and nothing is said"
        if self.command.shows and got.status != 0:
            # What is gone is no longer on this side.
            known = {name_of(line) for line in self.lines.union(*self.others)}
            added = [line for line in lines_of(got.out) if name_of(line) not in known and not re.match(rb"total |\d+ ", line)]
            if added and not error.startswith("ENOENT"):
                return f"it shows {added[0].decode('utf-8', 'replace')!r}"
        return self.made_problem(got, name) or self.source_problem()

    def source_problem(self):
        for name, was in self.place.sources.items():
            if name != self.command.cuts and marks(f"{self.place.path}/{name}") != was:
                return f"the source {name} is not what it was"
        return None

    def made_problem(self, got, name):
        made = contents(f"{self.place.path}/made")
        for path, what in made.items():
            if path.startswith("/cache"):
                continue
            if path not in self.made and (not self.before or path.removeprefix("/out/tree") not in self.before):
                if name in ("unlinkat", "unlink"):
                    continue
                return f"beside it lies {path}"
            if what[0] == "file" and self.command.makes != "out":
                old = contents(f"{self.place.path}/x.db")[""][3] if self.command.over else None
                if what[3] in (self.made[path][3], old):
                    continue
                if not self.is_bundle(path) or got.status == 0 and self.listed(path) != self.listing:
                    return f"{path} is neither the old nor the new one"
                made[path] = self.made[path]
            elif what[0] == "file":
                old = self.before.get(path.removeprefix("/out/tree"), [None] * 4)[3]
                new = self.made[path][3] if path in self.made else None
                if what[3] not in (new, old):
                    return f"{path} is neither the old nor the new one, {len(what[3])} bytes"
        if got.status == 0 and not self.same_made(made):
            return "not all is made as it should be, and status 0"
        return None

    def is_bundle(self, path):
        return subprocess.run([self.place.lsr, "--check", f"made{path}"], cwd=self.place.path, env=self.place.environment(),
                              capture_output=True, check=False).returncode == 0

    def listed(self, path):
        """A bundle without the names of owners: where /etc/passwd cannot be read they are left out, as tar does."""
        look = f"{self.place.path}/made.look"
        subprocess.run([self.place.lsr, "--unpack", f"made{path}", "--output=made.look"], cwd=self.place.path, env=self.place.environment(),
                       capture_output=True, check=False)
        attributes = {name: what[4:] for name, what in contents(look).items()} if os.path.exists(look) else {}
        shutil.rmtree(look, ignore_errors=True)
        out = subprocess.run([self.place.lsr, "--no-cache", "-lnR", "--time-style=full-iso", f"made{path}"], cwd=self.place.path,
                             env=self.place.environment(), capture_output=True, check=False).stdout
        return re.sub(rb"[0-9,]+ bytes packed", b"", out), attributes

    def same_made(self, made):
        def kept(found):
            bundles = self.command.makes != "out"
            return {path: what[:2] + what[3:] if bundles or path == "/out" else what
                    for path, what in found.items() if not path.startswith("/cache") and path}
        return kept(made) == kept(self.made)


# --- all of them -------------------------------------------------------------------------


class Campaign:
    def __init__(self, args):
        self.args, self.lsr, self.inject = args, os.path.abspath(args.lsr), os.path.abspath(args.inject)
        self.seen, self.passed, self.failed = collections.defaultdict(collections.Counter), 0, 0
        with open(self.lsr, "rb") as f:
            self.sanitized = b"__asan_init" in f.read()
        self.start = 0

    def began(self, place):
        """How a sanitizer starts, and how it takes memory, is its affair."""
        calls = attempt(place, Command("", "--version"), "auto", self.inject, 0, "-").report
        self.start = calls.index("write 1") if self.sanitized else 0

    def count(self, command, engine, what, got, problem):
        self.passed += not problem
        self.failed += bool(problem)
        outcome = "wrong" if problem else "all" if got.status == 0 else "an error"
        self.seen[command.name][outcome] += 1
        if problem:
            said = got.err.decode("utf-8", "replace")[:300].strip().replace("\n", "\n    ")
            print(f"{what} lsr {' '.join(command.argv)} (LSR_IO={engine}): {problem}" + (f"\n    {said}" if said else ""), flush=True)

    def chosen(self, plan, salt):
        if not self.args.each or len(plan) <= self.args.each:
            return plan
        return random.Random(f"{self.args.seed} {salt}").sample(plan, self.args.each)

    def calls(self, place, command, engine):
        """Each call of a command with each error, on an engine."""
        judge = Judge(place, command, engine)
        plan, times = [], collections.Counter()
        for n, line in enumerate(attempt(place, command, engine, self.inject, 0, "-").report[:-1], 1):
            name = line.split()[0]
            times[name] += 1
            if n <= self.start or self.sanitized and name in MEMORY_CALLS:
                continue
            if self.args.calls and name not in self.args.calls.split(","):
                continue
            for error in ERRORS.get(name, []):
                plan.append((f"{name}:{times[name]}", error))
                if error in LASTING:
                    plan.append((f"{name}:{times[name]}", error + "+"))
        for call, error in self.chosen(plan, f"{command.name} {engine}"):
            got = attempt(place, command, engine, self.inject, call, error)
            if len(got.report) > 1: # with threads there are not always as many
                self.count(command, engine, f"{call} {error}:", got, judge.problems(got, got.report[:-1], error))

    def operations(self, place, command, engine):
        """Every Nth operation of an engine."""
        judge = Judge(place, command, engine)
        plan = [f"{what}/{n}" for n in range(1, 13) for what in
                ("stat=EIO", "stat=ENOMEM", "dir=EIO", "dir=EINTR", "open=EMFILE", "open=EIO", "file=EIO", "short", "read=EIO", "read=EINTR", "part")
                if what != "open=EMFILE" and (n > 1 or "EINTR" not in what)]
        for rule in self.chosen(plan, f"{command.name} {engine} operations"):
            got = attempt(place, command, f"fault:{engine}:{rule}", None, 0, None)
            self.count(command, f"fault:{engine}:{rule}", rule, got, judge.problems(got, [], ""))

    def cuts(self, place, command):
        """A bundle that gets shorter before each call."""
        judge = Judge(place, command, "auto")
        source = f"{place.path}/{command.cuts}"
        shutil.copy2(source, source + ".whole")
        size = os.path.getsize(source)
        n = len(attempt(place, command, "auto", self.inject, 0, "-").report) - 1
        sizes = (0, 100, size // 3, size - 4096, size - 1)
        short = {}
        for to in sizes:
            os.truncate(source, to)
            short[to] = lines_of(attempt(place, command, "auto", None, 0, None).out)
            shutil.copy2(source + ".whole", source)
        plan = [(at, to) for at in range(2, n + 1) for to in sizes]
        for at, to in self.chosen(plan, command.name):
            got = attempt(place, command, "auto", self.inject, at, f"!truncate -s {to} {command.cuts}")
            self.count(command, "auto", f"cut to {to} before call {at}:", got, judge.problems(got, [], "", [short[to]]))
            shutil.copy2(source + ".whole", source)
        os.unlink(source + ".whole")
        place.sources[command.cuts] = marks(source)

    def run_one(self, places, command, engine):
        place, start = places.get(), time.monotonic()
        if command.cuts:
            self.cuts(place, command)
        else:
            self.calls(place, command, engine)
            if engine != "auto" and not self.args.calls:
                self.operations(place, command, engine)
        # All of them take an hour.
        print(f"{command.name} on {engine}: {time.monotonic() - start:.0f} s; {self.passed} faults passed, {self.failed} failed so far", flush=True)
        places.put(place)

    def run(self, where):
        jobs = [(command, engine) for command in commands() for engine in ENGINES
                if self.args.only in f"{command.name} {engine}" and (engine == "auto" or command.name != "compare")]
        # What a sanitizer says of a mapped page that is gone is not what we say.
        jobs += [(command, "auto") for command in cut_commands() if self.args.only in command.name and not self.sanitized and not self.args.calls]
        # It takes as long as all others together.
        jobs.sort(key=lambda job: job[0].name != "compare")
        places = queue.Queue()
        for i in range(os.cpu_count()):
            places.put(Place(self.lsr, f"{where}/{i}", any(command.cuts for command, _ in jobs)))
        self.began(places.queue[0])
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in [pool.submit(self.run_one, places, *job) for job in jobs]:
                done.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--inject", required=True, help="build/*/tests/faults/inject")
    parser.add_argument("--each", type=int, default=0, help="so many faults of each kind, command and engine; 0 for all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="commands with this text in their name and engine")
    parser.add_argument("--calls", default="", help="only these system calls, such as openat,close")
    args = parser.parse_args()
    campaign = Campaign(args)
    with tempfile.TemporaryDirectory(prefix="lsr-faults-") as where:
        campaign.run(where)
    for name, seen in campaign.seen.items():
        print(f"{name}: {sum(seen.values())} faults, " + ", ".join(f"{n} times {what}" for what, n in sorted(seen.items())))
    print(f"{campaign.passed} passed, {campaign.failed} failed")
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
