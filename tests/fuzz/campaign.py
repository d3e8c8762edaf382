#!/usr/bin/env python3
"""campaign - damaged bundles through the commands that users type, with the worker confined

    campaign.py --lsr BINARY --corpus DIR [--each N] [--seed S] [FORMAT...]

The corpus is what seeds.py makes.  N damaged copies of the seeds of each format are listed, looked up, read, checked and
unpacked, many by one command.  What must hold for each of them:

    the exit status is 0, 1 or 2, and no process has died or reported (sanitizers)
    each takes at most 5 s of wall time, and a command at most 512 MiB in its largest process
    nothing is written outside the directory that --unpack was told

What does not is kept in --keep, and its number printed.  The last line counts bundles and findings.
"""
import argparse
import bz2
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

FORMATS = ["tar", "zip", "sqlite", "lsr1", "7z", "rar", "rar5", "cab", "lha", "ar", "rpm", "cpio", "iso9660", "warc", "mtree",
           "gzip", "zstd", "xz", "bzip2", "lz4", "compress", "lzip", "lzma", "tar in gzip", "tar in bzip2", "tar in xz"]  # fmt: skip
AROUND = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
BATCH = 100
ONE_S = 5.0
PEAK_KIB = 512 << 10
DEAD = re.compile(r"the process that reads it (was killed|ended|broke its rules)|ERROR: \w+Sanitizer|runtime error:")
NUMBERS = [b"\0", b"\xff", b"\x7f\xff\xff\xff", b"\xff" * 4, b"\xff" * 8, b"\0" * 8, b"\x80" + b"\0" * 7, b"7" * 11, b"0", b"\n", b"/", b"../"]


def damaged(rng, seeds, doublings=4):
    """A copy of a seed with one to eight faults."""
    data = bytearray(rng.choice(seeds))
    for _ in range(1 << rng.randrange(doublings)):
        at = rng.randrange(len(data) + 1) if data else 0
        kind = rng.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 2:
            number = rng.choice(NUMBERS)
            data[at : at + len(number)] = number
        elif kind == 3:
            del data[at : at + 1 + rng.randrange(64)]
        elif kind == 4:
            size = 1 + rng.randrange(600)
            data[at:at] = data[at : at + size]
        elif kind == 5:
            other = rng.choice(seeds)
            start = rng.randrange(len(other) + 1)
            data[at : at + 64] = other[start : start + 64]
        elif rng.randrange(4) == 0:
            del data[at:]
    return bytes(data)


def mend_tar(data):
    """Headers with the checksum that they should have, so that what is wrong behind it is reached."""
    data = bytearray(data)
    for at in range(0, len(data) - 511, 512):
        if data[at + 257 : at + 262] == b"ustar":
            data[at + 148 : at + 156] = b" " * 8
            data[at + 148 : at + 156] = b"%06o\0 " % sum(data[at : at + 512])
    return bytes(data)


class Campaign:
    def __init__(self, args):
        self.args = args
        self.rng = random.Random(args.seed)
        self.findings = 0
        self.slowest = (0.0, "")
        self.peak = (0, "")
        self.env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "XDG_CACHE_HOME": "/nonexistent"}

    def bundles(self, name, where):
        inner, _, outer = name.partition(" in ")
        folder = os.path.join(self.args.corpus, inner)
        if not os.path.isdir(folder):
            return 0
        seeds = [open(os.path.join(folder, f), "rb").read() for f in sorted(os.listdir(folder))]
        for i in range(BATCH):
            data = damaged(self.rng, seeds)
            if inner == "tar" and self.rng.random() < 0.8:
                data = mend_tar(data)
            if outer:
                data = AROUND[outer](data)
            with open(os.path.join(where, f"{i:03d}"), "wb") as f:
                f.write(data)
        return BATCH

    def run(self, what, argv, top, limit):
        """0, or a text that says what is wrong.  Output is read and dropped."""
        began = time.monotonic()
        with open(os.path.join(top, "err"), "wb+") as err:
            with subprocess.Popen([self.args.lsr, *argv], cwd=top, env=self.env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=err, start_new_session=True) as p:
                try:
                    while True:
                        pid, status, usage = os.wait4(p.pid, os.WNOHANG)
                        if pid:
                            break
                        if time.monotonic() - began > limit:
                            os.killpg(p.pid, 9)
                            os.wait4(p.pid, 0)
                            p.returncode = -9
                            return f"{what}: takes more than {limit:.0f} s"
                        time.sleep(0.002)
                finally:
                    p.returncode = p.returncode if p.returncode is not None else 0
            took = time.monotonic() - began
            err.seek(0)
            said = err.read().decode(errors="replace")
        if os.WIFSIGNALED(status):
            return f"{what}: killed by signal {os.WTERMSIG(status)}"
        if os.WEXITSTATUS(status) > 2:
            return f"{what}: exit status {os.WEXITSTATUS(status)}"
        found = DEAD.search(said)
        if found:
            return f"{what}: {found[0]}: " + next((line for line in said.splitlines() if found[0] in line), "")[:300]
        if usage.ru_maxrss > PEAK_KIB:
            return f"{what}: {usage.ru_maxrss:,} KiB"
        self.peak = max(self.peak, (usage.ru_maxrss, what))
        self.slowest = max(self.slowest, (took, what))
        return ""

    def commands(self, names):
        yield "list", ["-lR", "--bundles=always", *names]
        yield "find", ["-ld", *[f"{n}/{m}" for n in names for m in ("dir/b", "a", "none")]]
        yield "cat", ["--cat", *[f"{n}/{m}" for n in names for m in ("a", "dir/b")]]
        yield "check", ["--check", *names]
        yield "unpack", ["--unpack", "--force", "--output=out", *names]

    def outside(self, top):
        return sorted((e.name, e.stat(follow_symlinks=False).st_mode) for e in os.scandir(top) if e.name not in ("out", "err"))

    def try_all(self, names, top, limit):
        """What is wrong, or an empty text."""
        shutil.rmtree(os.path.join(top, "out"), ignore_errors=True)
        before = self.outside(top)
        for what, argv in self.commands(names):
            wrong = self.run(what, argv, top, limit)
            if not wrong and self.outside(top) != before:
                wrong = f"{what}: wrote outside of its directory"
            if wrong:
                return wrong
        return ""

    def batch(self, name, number):
        with tempfile.TemporaryDirectory(prefix="lsr-campaign-") as top:
            if not self.bundles(name, top):
                return 0
            names = sorted(os.listdir(top))
            if self.try_all(names, top, 60.0):
                for one in names:
                    wrong = self.try_all([one], top, ONE_S)
                    if wrong:
                        self.findings += 1
                        os.makedirs(self.args.keep, exist_ok=True)
                        kept = os.path.join(self.args.keep, f"{name.replace(' ', '-')}-{self.args.seed}-{number}-{one}")
                        shutil.copyfile(os.path.join(top, one), kept)
                        print(f"{kept}: {wrong}", flush=True)
            return BATCH


def parser_of(doc):
    """The options that oracle.py has, too."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--each", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="build/fuzz/found")
    parser.add_argument("formats", nargs="*")
    return parser


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--corpus", required=True)
    args = parser.parse_args()
    args.lsr = os.path.abspath(args.lsr)
    total = 0
    campaign = Campaign(args)
    for name in args.formats or FORMATS:
        began, n = time.monotonic(), 0
        campaign.slowest, campaign.peak = (0.0, ""), (0, "")
        for number in range((args.each + BATCH - 1) // BATCH):
            n += campaign.batch(name, number)
        total += n
        print(f"{name:14} {n:7,} bundles, {campaign.findings} findings so far; {time.monotonic() - began:.0f} s, slowest batch "
              f"{campaign.slowest[1]} {campaign.slowest[0]:.1f} s, peak {campaign.peak[0]:,} KiB", flush=True)
    print(f"{total:,} bundles, five commands each: {campaign.findings} findings")
    print(f"{total - campaign.findings} passed, {campaign.findings} failed")
    return 1 if campaign.findings else 0


if __name__ == "__main__":
    sys.exit(main())
