#!/usr/bin/env python3
"""kernels.py --lsr BINARY --old-kernel PROGRAM [--jump LIBRARY] [--only TEXT] [--quick] - other kernels, containers, clocks, little of everything

The commands of faults.py, on every engine, under the filters of tests/faults/old-kernel.c: each must print, say, make and end
as it does without.  An engine that was asked for by name and is refused says so.  The same where /proc and /tmp are empty
and there is no home directory (root).  With limits from low to high (descriptors, addresses, processes, size of files,
stack) the outcome must be one of those that faults.py allows.  With --jump, which is a library for a dynamic BINARY, it is
clocks alone that are other: they jump (tests/faults/jump.c).  Prints `N passed, N failed`.
"""
import argparse
import concurrent.futures
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile

import faults

RINGLESS = {"4.19", "5.4", "no-ring", "gvisor", "docker", "docker-2020", "podman", "bare"}
EMPTY = "mount -t tmpfs -o ro none /proc && mount -t tmpfs -o ro none /tmp && exec \"$0\" \"$@\""
KIB, MIB = 1 << 10, 1 << 20
LIMITS = {  # by their options of prlimit(1)
    "nofile": [*range(3, 24), 32, 48, 64],
    "as": [n * MIB for n in (8, 10, 12, 14, 16, 20, 24, 32, 40, 48, 64, 96, 128, 256, 512, 1024, 4096)],
    "data": [n * MIB for n in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128)],
    "fsize": [0, 1, 100, 4096, 10000, 65536, 200000, 400000],
    "stack": [n * KIB for n in (64, 128, 160, 192, 256, 512, 1024, 65536)],
    "nproc": [0, 1, 2, 3, 4, 6, 8],
}
DAY, YEAR = 86400, 31556952
CLOCKS = {  # seconds that are added each time that the wall clock is read
    "back": [0, -1], "back a year": [0, -YEAR], "back and forth": [0, -DAY, DAY, -YEAR, YEAR], "1969": [-60 * YEAR],
    "2039": [15 * YEAR], "1969 and 2500": [-60 * YEAR, 474 * YEAR],
}
AS_NOBODY = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class Campaign:
    def __init__(self, args):
        self.args, self.passed, self.failed, self.judges = args, 0, 0, {}
        with open(args.lsr, "rb") as f:
            self.sanitized = b"__asan_init" in f.read()

    def count(self, what, command, engine, got, problem):
        self.passed += not problem
        self.failed += bool(problem)
        if problem:
            said = got.err.decode("utf-8", "replace")[:300].strip().replace("\n", "\n    ")
            print(f"{what}: lsr {' '.join(command.argv)} (LSR_IO={engine}): {problem}" + (f"\n    {said}" if said else ""), flush=True)

    def judge(self, place, command, engine):
        key = place.path, command.name, engine
        if key not in self.judges:
            self.judges[key] = faults.Judge(place, command, engine)
        return self.judges[key]

    def same(self, place, what, command, engine, front):
        """Behind @front nothing is other than without."""
        judge = self.judge(place, command, engine)
        wanted = judge.whole
        got = attempt(place, command, engine, front)
        problem = None
        if engine == "uring" and what in RINGLESS and b"cannot run here" in got.err:
            problem = got.status != 2 and f"status {got.status}"
        elif command.name == "compare" and what in RINGLESS and b"\nfiles, uring failed: " in got.out:
            # One of its ways, of which the table says so.
            problem = (got.status, got.err) != (1, wanted.err) and f"status {got.status} and what it says, not 1"
        elif command.name == "compare" and what == "no /proc, no /tmp":
            problem = (got.status != 2 or not got.err.startswith(b"lsr: cannot ")) and f"status {got.status}, not 2 for what it takes"
        elif got.status is None:
            problem = "it does not end"
        elif (got.status, steady(got.err)) != (wanted.status, steady(wanted.err)):
            problem = f"status {got.status} and what it says, not {wanted.status}"
        elif absurd(got.err) and not absurd(wanted.err):
            problem = "it says how long that took"
        elif command.same and got.out != wanted.out:
            problem = "other output"
        elif not judge.same_made(faults.contents(f"{place.path}/made")):
            problem = "not the same is made"
        self.count(what, command, engine, got, problem)

    def limited(self, place, command, limit, n):
        judge = self.judge(place, command, "auto")
        front = ["/usr/bin/prlimit", f"--{limit}={n}"]
        if limit == "nproc" and os.geteuid() == 0:
            front = AS_NOBODY + front
        os.chmod(place.path, 0o777)
        # With less than its start takes nothing can be said.
        if subprocess.run([*front, place.lsr, "--version"], capture_output=True, check=False).returncode == 0:
            got = attempt(place, command, "auto", front)
            self.count(f"{limit}={n}", command, "auto", got, judge.problems(got, [], ""))

    def clocks(self):
        full = "--time-style=full-iso"
        others = [faults.Command("list relative", "-l", "--time-style=relative", "tree", same=False),
                  faults.Command("list recent", "-l", "tree", same=False), faults.Command("list twice", "-lR", full, "x.tar.gz", "x.tar.gz"),
                  faults.Command("list stats", "-lR", full, "--stats", "tree", "x.zip")]
        for command in [*faults.commands(), *others]:
            for name, jumps in CLOCKS.items():
                yield self.same, f"clock {name}", command, "auto", ["/usr/bin/env", f"LD_PRELOAD={self.args.jump}",
                                                                    "LSR_JUMPS=" + ",".join(map(str, jumps))]

    def jobs(self):
        if self.args.jump:
            yield from self.clocks()
            return
        kernels = subprocess.run([self.args.old_kernel, "--list"], capture_output=True, text=True, check=True).stdout.split()
        everything = [command for command in faults.commands() if command.name != "compare" or not self.args.quick]
        for command in everything:
            for engine in faults.ENGINES if not self.args.quick else ["auto", "uring"]:
                for kernel in kernels:
                    yield self.same, kernel, command, engine, [self.args.old_kernel, kernel]
                yield self.same, "no home", command, engine, ["/usr/bin/env", "-u", "HOME", "-u", "XDG_CACHE_HOME"]
                # A sanitizer has its options from there.
                if os.geteuid() == 0 and not self.sanitized:
                    yield self.same, "no /proc, no /tmp", command, engine, ["/usr/bin/unshare", "-m", "/bin/sh", "-c", EMPTY]
            for limit, numbers in LIMITS.items():
                for n in numbers if not self.args.quick else numbers[1::5]:
                    yield self.limited, command, limit, n

    def one(self, places, method, *args):
        place = places.get()
        method(place, *args)
        places.put(place)

    def run(self, where):
        places = queue.Queue()
        lsr = shutil.copy(self.args.lsr, where)  # where others may execute it
        for i in range(os.cpu_count()):
            places.put(faults.Place(lsr, f"{where}/{i}", False))
        jobs = [job for job in self.jobs() if self.args.only in " ".join(str(getattr(arg, "name", arg)) for arg in job[1:])]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in [pool.submit(self.one, places, *job) for job in jobs]:
                done.result()


def steady(err):
    """What is said, but for times and rates, and without what a sanitizer says that is refused ptrace(2)."""
    err = re.sub(rb"^==[0-9]+==(LeakSanitizer has encountered a fatal error|HINT:).*\n", b"", err, flags=re.M)
    return re.sub(rb"[0-9][0-9.,]*", b"N", err)


def absurd(err):
    """Whether a time is of centuries, or below nothing."""
    return re.search(rb"[0-9]{9}|(^|[ =])-[0-9]", err.replace(b",", b""))


def attempt(place, command, engine, front):
    place.reset(command)
    os.chmod(f"{place.path}/made", 0o777)
    try:
        got = subprocess.run([*front, place.lsr, *command.argv], cwd=place.path, env=place.environment(engine), timeout=faults.SECONDS,
                             stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return faults.Outcome(got.returncode, got.stdout, got.stderr, [])
    except subprocess.TimeoutExpired as late:
        return faults.Outcome(None, late.stdout or b"", late.stderr or b"", [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True, type=os.path.abspath)
    parser.add_argument("--old-kernel", type=os.path.abspath, help="build/*/tests/faults/old-kernel")
    parser.add_argument("--jump", type=os.path.abspath, help="build/*/tests/faults/jump.so")
    parser.add_argument("--only", default="", help="runs with this text in kernel, command and engine")
    parser.add_argument("--quick", action="store_true", help="two engines and a fifth of the limits")
    campaign = Campaign(parser.parse_args())
    # Not in /tmp, which is to be empty.
    with tempfile.TemporaryDirectory(prefix="lsr-kernels-", dir="/var/tmp") as where:
        os.chmod(where, 0o755)
        campaign.run(where)
    print(f"{campaign.passed} passed, {campaign.failed} failed")
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
