#!/usr/bin/env python3
"""diff-pack - what is packed comes back as it was, through lsr and through others

    tests/diff/diff-pack.py --lsr BINARY [--filter WORD] [--quick]

round trip   every format over the zoo (as root) or what stands in for it, and over a tree of the
             system: unpacked by lsr and by the format's own tool, compared by rsync
same bytes   whatever the engine, the number of threads and the order in directories
killed       at random moments: the old file is there, none, or all of the new one, and nothing else
damaged      each byte of a small LSR1 bundle: listed as it was or not at all, found by --check,
             content that is right or none
readers      of LSR1: tar, bsdtar, zstd, Python's tarfile, and from PyPI, if that can be reached,
             pyzstd's reader of the seekable format and ratarmount

--quick: fewer moments, fewer bytes, no tree of the system, nothing from PyPI.
"""
import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from bundletree import ENV, make_tree, sh

HERE = os.path.dirname(os.path.abspath(__file__))
REAL_TREES = ["/usr/share/perl", "/usr/share/doc", "/usr/include"]
LARGEST = 2 << 20  # rsync reads every byte, of holes too
MANY = 300         # of many empty files these are enough
MOMENTS = 100
PYPI = ["pyzstd", "ratarmountcore", "indexed_zstd"]
PYPI_LIMIT_S = 90

TAR = "tar --xattrs --xattrs-include='*' --acls --numeric-owner -x"

# What rsync is to compare: all of it; of a zip no links between files, devices, attributes, parts of seconds, and times in 32 bits,
# which bsdtar takes as unsigned (it also normalises names); of a sqlar no owners either, and without them no setuid bits.
FULL = "-aHAX --modify-window=-1"
ZIP = "-rlptgo --exclude=/times/2038+1 --exclude=/times/2[1-9]*"
ZIP_BSDTAR = "-rlptgo --exclude=/times/* --exclude=/names/e?*"
SQLAR = "-rlpt --chmod=ug-s"

# Suffix, what is kept, how its own tool unpacks $1 in the directory it is in, and what that keeps.
FORMATS = [
    (".tar.zst", FULL, f"{TAR} --zstd -f $1", FULL),
    (".zip", ZIP, "bsdtar --numeric-owner -xpf $1", ZIP_BSDTAR),
    (".sqlar", SQLAR, None, None),
    (".tar", FULL, f"{TAR}f $1", FULL),
    (".tar.gz", FULL, f"{TAR}zf $1", FULL),
    (".tar.xz", FULL, f"{TAR}Jf $1", FULL),
    (".tar.bz2", FULL, f"{TAR}jf $1", FULL),
    (".tar.lz4", FULL, f"lz4 -dcq $1 | {TAR}f -", FULL),
]
SOME = 3  # the first of these are enough where time counts

READER = r"""
import io, random, sys, tarfile
import pyzstd
from ratarmountcore.mountsource.factory import open_mount_source
path = sys.argv[1]
whole = pyzstd.ZstdFile(path).read()
rng = random.Random(1)
with pyzstd.SeekableZstdFile(path, "r") as f:
    assert f.seek(0, 2) == len(whole), "length"
    for _ in range(200):
        at, n = rng.randrange(len(whole)), rng.choice((1, 512, 70000, 5000000))
        f.seek(at)
        assert f.read(n) == whole[at:at + n], f"{n} bytes at {at}"
tar = tarfile.open(fileobj=io.BytesIO(whole))
source = open_mount_source(path, recursive=False, writeIndex=False)
n = 0
for member in tar:
    found = source.lookup("/" + member.name)
    assert found, member.name
    if member.isreg() and member.sparse is None:
        with source.open(found) as f:
            assert f.read() == tar.extractfile(member).read(), member.name
        n += 1
assert n > 100, n
"""


class Tests:
    def __init__(self, lsr, word):
        self.lsr, self.word = lsr, word
        self.passed = self.failed = self.skipped = 0

    def wants(self, label):
        return self.word in label

    def tell(self, label, wrong):
        """One test; @wrong: lines that say what is."""
        self.passed += not wrong
        self.failed += bool(wrong)
        if wrong:
            print(f"FAIL {label}: {len(wrong)} differences")
            for line in wrong[:12]:
                print("    " + line.encode("unicode_escape").decode())

    def skip(self, label, why):
        self.skipped += 1
        print(f"skip {label}: {why}")

    def run(self, *args, cwd=None):
        return subprocess.run([self.lsr, *args], cwd=cwd, env=ENV, stdin=subprocess.DEVNULL, capture_output=True)


# --- round trip -------------------------------------------------------------------


def make_zoo(top):
    """tree: the zoo without what no archive keeps or no test waits for."""
    if os.geteuid() != 0:
        make_tree(top)
        return
    sh("python3 $1/zoo.py tree", top, HERE)
    for here, dirs, names in os.walk(os.path.join(top, "tree").encode()):
        for name in names:
            path = os.path.join(here, name)
            st = os.lstat(path)
            if (st.st_mode & 0o170000) == 0o140000 or st.st_size > LARGEST:
                os.unlink(path)
        if here.endswith(b"/many"):
            for name in sorted(names)[MANY:]:
                os.unlink(os.path.join(here, name))
    # Longer paths than rsync can name.
    shutil.rmtree(os.path.join(top, "tree", "deep"))


def compare(kept, theirs, ours):
    """What rsync would do to make @ours of @theirs."""
    text = sh(f'LC_ALL=C rsync -ni --checksum --delete {kept} "$1/" "$2/" 2>&1', "/", theirs, ours)
    lines = text.decode(errors="surrogateescape").splitlines()
    # What the format does not keep was told, and is not asked for.
    return [line for line in lines if not line.startswith("skipping non-regular file")]


def round_trip(t, top, tree, label, formats):
    name = os.path.basename(tree)
    for suffix, kept, stock, kept_by_stock in formats:
        here = f"round trip {label}{suffix}"
        if not t.wants(here):
            continue
        bundle = os.path.join(top, "b" + suffix)
        packed = t.run("--pack", tree, f"--output={bundle}")
        wrong = [] if packed.returncode == 0 else [f"exit status {packed.returncode}: {packed.stderr.decode()}"]
        for program in ("lsr", "its own") if stock else ("lsr",):
            out = os.path.join(top, "out")
            os.mkdir(out)
            if program == "lsr":
                done = t.run("--unpack", bundle, f"--output={out}")
                if done.returncode:
                    wrong.append(f"exit status {done.returncode}: {done.stderr.decode(errors='surrogateescape')}")
            else:
                sh(stock, out, bundle)
            found = compare(kept if program == "lsr" else kept_by_stock, tree, os.path.join(out, name))
            t.tell(f"{here}, {program}", wrong + found)
            sh('rm -rf "$1"', "/", out)
            wrong = []
        checked = t.run("--check", bundle)
        t.tell(f"{here}, --check", [] if checked.returncode == 0 else [checked.stderr.decode()])
        os.unlink(bundle)


# --- same bytes -------------------------------------------------------------------


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def same_bytes(t, top):
    """The second tree is made in another order, on another file system where there is one."""
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else top
    trees = [tempfile.mkdtemp(prefix="lsr-same-", dir=where) for where in (top, shm)]
    rng = random.Random(3)
    names = [f"{d}/f{i}" for d in ("a", "a-b", "a.c", "zz") for i in range(300)]
    for where in trees:
        rng.shuffle(names)
        for name in names:
            path = os.path.join(where, "tree", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            n = int(hashlib.sha256(name.encode()).hexdigest()[:4], 16)
            with open(path, "wb") as f:
                f.write(name.encode() * (n // 4 if n % 50 else n))
        sh("ln tree/a/f7 tree/zz/hard; find tree -depth -exec touch -h -d '2020-02-02 02:02:02.5' {} +", where)
    for suffix in (".tar.zst", ".tar.gz", ".zip", ".sqlar", ".tar"):
        seen, wrong = {}, []
        for where in trees:
            for engine, threads in (("sync", 1), ("threads", 2), ("uring", 5), ("auto", 3)):
                out = os.path.join(top, "same" + suffix)
                done = t.run("--pack", where + "/tree", f"--output={out}", "--force", f"--threads={threads}",
                             f"--io={engine}", "--no-verify")
                if done.returncode == 2 and b"cannot run here" in done.stderr:
                    continue
                seen.setdefault(digest(out), f"{where}, {engine}, {threads} threads")
        if len(seen) != 1:
            wrong = ["others: " + how for how in seen.values()]
        t.tell(f"same bytes{suffix}", wrong)
    for where in trees:
        shutil.rmtree(where)


# --- killed -----------------------------------------------------------------------


def killed(t, top, moments):
    sh("mkdir d; for i in $(seq 60); do seq $i 900 >d/$i; done; head -c 3000000 /dev/urandom >d/big", top)
    rng = random.Random(4)
    for suffix in (".tar.zst", ".zip", ".sqlar"):
        place = os.path.join(top, "killed")
        os.mkdir(place)
        target, good = os.path.join(place, "x" + suffix), os.path.join(top, "good" + suffix)
        began = time.monotonic()
        done = t.run("--pack", "d", f"--output={good}", cwd=top)
        took = time.monotonic() - began
        wrong = [] if done.returncode == 0 else [done.stderr.decode()]
        if t.run("--check", good).returncode != 0:
            wrong.append("--check finds fault")
        new, old = digest(good), hashlib.sha256(b"old").hexdigest()
        seen = {"old": 0, "none": 0, "new": 0}
        for i in range(moments):
            if i % 2:
                with open(target, "wb") as f:
                    f.write(b"old")
            elif os.path.exists(target):
                os.unlink(target)
            p = subprocess.Popen([t.lsr, "--pack", "d", f"--output={target}", "--force"], cwd=top, env=ENV,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, took * 1.1))
            p.send_signal(signal.SIGKILL)
            p.wait()
            names = os.listdir(place)
            # Where an old file is replaced the new one, complete, has a name of its own for an instant.
            stray = [n for n in names if n != "x" + suffix and digest(os.path.join(place, n)) != new]
            if stray:
                wrong.append(f"left behind: {stray}")
            for name in set(names) - {"x" + suffix}:
                os.unlink(os.path.join(place, name))
            what = digest(target) if os.path.exists(target) else None
            if what == new:
                seen["new"] += 1
            elif what == (old if i % 2 else None):
                seen["old" if i % 2 else "none"] += 1
            else:
                wrong.append(f"neither the old nor the new file, at moment {i}")
        if not seen["old"] or not seen["none"]:
            wrong.append(f"the moments were not in the work: {seen}")
        t.tell(f"killed {suffix}", wrong)
        shutil.rmtree(place)


# --- damaged ----------------------------------------------------------------------


def decoded(data):
    """The tar and the table of contents, which other compressed bytes may stand for as well; None if they are damaged."""
    locator = data.rfind(b"LSRTOC\r\n") - 8
    toc = int.from_bytes(data[locator + 24:locator + 32], "little") + 8
    parts = []
    for part in (data, data[toc:locator]):
        done = subprocess.run(["zstd", "-dcq"], input=part, capture_output=True)
        if done.returncode != 0:
            return None
        parts.append(done.stdout)
    return parts


def damaged(t, top, step):
    sh("mkdir s; seq 400 >s/f1; echo two >s/f2; ln s/f1 s/hard; ln -s f2 s/soft; touch -hd @1500000000.25 s/* s", top)
    good, bad = os.path.join(top, "small.tar.zst"), os.path.join(top, "bad.tar.zst")
    t.run("--pack", "s", f"--output={good}", cwd=top)
    with open(good, "rb") as f:
        data = f.read()

    def rows(out):
        # The size of the file itself is that of a file, not of a bundle.
        return set(out.replace(b"small.tar.zst", b"bad.tar.zst").splitlines())

    whole = rows(t.run("--json", "-R", "--no-cache", "small.tar.zst", cwd=top).stdout)
    first = sh("cat s/f1", top)
    listing, unnoticed, content = [], [], []
    for at in range(0, len(data), step):
        with open(bad, "wb") as f:
            f.write(data[:at] + bytes([data[at] ^ (1 + at % 255)]) + data[at + 1:])
        done = t.run("--json", "-R", "--no-cache", "bad.tar.zst", cwd=top)
        got = rows(done.stdout)
        # As a plain file it is what it is; with trouble told, what was found before that is shown.
        plain = len(got) == 1 and b'"path":"bad.tar.zst","' in done.stdout
        if done.returncode < 0 or not (got == whole or plain or (done.returncode and got <= whole)):
            listing.append(f"byte {at} of {len(data)}: exit status {done.returncode}")
        if t.run("--check", "bad.tar.zst", cwd=top).returncode not in (1, 2):
            with open(bad, "rb") as f:
                if decoded(f.read()) != decoded(data):
                    unnoticed.append(f"byte {at} of {len(data)}")
        done = t.run("--cat", "bad.tar.zst/s/f1", cwd=top)
        if done.stdout != first if done.returncode == 0 else not first.startswith(done.stdout):
            content.append(f"byte {at} of {len(data)}: exit status {done.returncode}")
    t.tell("damaged, listing", listing)
    t.tell("damaged, --check", unnoticed)
    t.tell("damaged, --cat", content)


# --- readers ----------------------------------------------------------------------


def readers(t, top, pypi):
    make_tree(top)
    # Large enough for many frames, and content in frames of its own.
    sh("for i in $(seq 40); do seq $i 20000 >tree/n$i; done; seq 1500000 >tree/large", top)
    bundle = os.path.join(top, "r.tar.zst")
    t.run("--pack", "tree", f"--output={bundle}", cwd=top)
    for label, command in [
        ("tar", "tar --zstd -xf $1"),
        ("bsdtar", "bsdtar -xpf $1"),
        ("zstd", "zstd -qt $1; zstd -dcq $1 >t; tar -xf t; rm t"),
        ("tarfile", "/usr/bin/python3 -c 'import sys, tarfile, zstandard\n"
                    "with open(sys.argv[1], \"rb\") as f:\n"
                    "    raw = zstandard.ZstdDecompressor().stream_reader(f, read_across_frames=True)\n"
                    "    tarfile.open(fileobj=raw, mode=\"r|\").extractall()' $1"),
    ]:
        out = os.path.join(top, "out")
        os.mkdir(out)
        try:
            sh(command, out, bundle)
            # Python's tarfile knows times as floating-point numbers, and sets none of links.
            kept = "-aHJ" if label == "tarfile" else "-aH --modify-window=-1"
            wrong = compare(kept, os.path.join(top, "tree"), os.path.join(out, "tree"))
        except RuntimeError as trouble:
            wrong = [str(trouble)]
        t.tell(f"readers {label}", wrong)
        shutil.rmtree(out)
    if not pypi:
        return
    try:
        sh(f"python3 -m venv venv; timeout {PYPI_LIMIT_S} venv/bin/pip -q install --only-binary :all: {' '.join(PYPI)}", top)
    except RuntimeError as trouble:
        t.skip("readers from PyPI", str(trouble).splitlines()[-1])
        return
    done = subprocess.run([os.path.join(top, "venv/bin/python"), "-c", READER, bundle], env=ENV, capture_output=True)
    t.tell("readers from PyPI", [] if done.returncode == 0 else done.stderr.decode().splitlines()[-3:])


def main():
    parser = argparse.ArgumentParser(description="what is packed comes back as it was")
    parser.add_argument("--lsr", required=True, metavar="BINARY")
    parser.add_argument("--filter", default="", metavar="WORD")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    t = Tests(os.path.abspath(args.lsr), args.filter)
    os.umask(0o022)
    with tempfile.TemporaryDirectory(prefix="lsr-pack-") as top:
        os.chmod(top, 0o755)

        def section(name):
            path = os.path.join(top, name)
            os.mkdir(path)
            return path

        if t.wants("round trip"):
            here = section("zoo")
            make_zoo(here)
            round_trip(t, here, os.path.join(here, "tree"), "zoo", FORMATS[:SOME] if args.quick else FORMATS)
            if not args.quick:
                here = section("real")
                real = next(d for d in REAL_TREES if os.path.isdir(d))
                sh("cp -a $1 real", here, os.path.realpath(real))
                round_trip(t, here, os.path.join(here, "real"), "real", FORMATS[:SOME])
        if t.wants("same bytes"):
            same_bytes(t, section("same"))
        if t.wants("killed"):
            killed(t, section("killed"), MOMENTS // 10 if args.quick else MOMENTS)
        if t.wants("damaged"):
            damaged(t, section("damaged"), 23 if args.quick else 1)
        if t.wants("readers"):
            readers(t, section("readers"), not args.quick)
        sh('rm -rf "$1"/*', "/", top)
    print(f"{t.passed} passed, {t.failed} failed" + (f", {t.skipped} skipped" if t.skipped else ""))
    return 1 if t.failed or not t.passed else 0


if __name__ == "__main__":
    sys.exit(main())
