#!/usr/bin/env python3
"""kills.py --lsr BINARY [--pack N] [--unpack N] [--seed N] - what is there after a signal at any moment

--pack and --unpack are ended by SIGKILL, SIGINT and SIGTERM, or stopped and continued, into what is new and over what is
there.  What must hold: a bundle is the old or the new one, whole, or was never there; so is each unpacked file, but
for the one at hand when SIGKILL came where there was none; and nothing else lies beside them, but what SIGKILL left.  Prints
how often what was found, and `N passed, N failed`.
"""
import argparse
import collections
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SIGNALS = ["KILL", "INT", "TERM", "STOP"]
FORMATS = ["tar.zst", "zip", "sqlar"]


def make_tree(path, seed):
    rng = random.Random(seed)
    for i in range(40):
        os.makedirs(f"{path}/d{i}")
        for j in range(10):
            with open(f"{path}/d{i}/f{j}", "wb") as f:
                f.write(rng.randbytes(rng.choice((100, 4000, 30000, 150000))))


def contents(path):
    found = {}
    for directory, _, names in os.walk(path):
        for name in names:
            with open(os.path.join(directory, name), "rb") as f:
                found[os.path.relpath(os.path.join(directory, name), path)] = f.read()
    return found


class Campaign:
    def __init__(self, lsr, seed, where):
        self.lsr, self.where, self.rng = lsr, where, random.Random(seed)
        self.seen, self.passed, self.failed = collections.Counter(), 0, 0

    def run(self, argv, **more):
        return subprocess.run([self.lsr, *argv], cwd=self.where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **more).returncode

    def time(self, argv):
        start = time.monotonic()
        assert self.run(argv) == 0, argv
        return time.monotonic() - start

    def interrupt(self, argv, name, most):
        """Returns its status."""
        child = subprocess.Popen([self.lsr, *argv], cwd=self.where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.rng.uniform(0, most))
        if name == "STOP":
            child.send_signal(signal.SIGSTOP)
            time.sleep(0.02)
            child.send_signal(signal.SIGCONT)
        else:
            child.send_signal(getattr(signal, "SIG" + name))
        return child.wait(60)

    def judge(self, what, problems):
        self.passed += not problems
        self.failed += bool(problems)
        for problem in problems[:3]:
            print(f"{what}: {problem}")

    def pack(self, n):
        here = os.path.join(self.where, "pack")
        os.mkdir(here)
        old, took, whole = {}, {}, {}
        for form in FORMATS:
            self.run(["--pack", f"--output=pack/x.{form}", "old"])
            with open(f"{here}/x.{form}", "rb") as f:
                old[form] = f.read()
            took[form] = self.time(["--pack", "--force", f"--output=pack/x.{form}", "new"])
            whole[form] = self.listed(f"pack/x.{form}")
            os.unlink(f"{here}/x.{form}")
        for i in range(n):
            form, name, over = FORMATS[i % 3], SIGNALS[i // 3 % 4], i // 12 % 2
            target = f"{here}/x.{form}"
            if over:
                with open(target, "wb") as f:
                    f.write(old[form])
            status = self.interrupt(["--pack", "--force", f"--output=pack/x.{form}", "new"], name, took[form] * 1.1)
            problems = []
            found = "nothing"
            if os.path.exists(target):
                with open(target, "rb") as f:
                    same = f.read() == old[form]
                found = "old" if same else "new"
                if not same and (self.run(["--check", f"pack/x.{form}"]) != 0 or self.listed(f"pack/x.{form}") != whole[form]):
                    problems.append("it is neither the old nor the new one")
            if over and found == "nothing":
                problems.append("the old one is gone")
            if name == "STOP" and (status != 0 or found != "new"):
                problems.append(f"status {status} and {found} after it went on")
            strays = sorted(set(os.listdir(here)) - {f"x.{form}"})
            if strays and name != "KILL":
                problems.append(f"beside it lies {strays[0]}")
            self.seen["pack", name, "over an old one" if over else "new", found + (", and a stray file" if strays else "")] += 1
            self.judge(f"--pack {form} {name} {'over an old one' if over else 'new'}", problems)
            for left in os.listdir(here):
                os.unlink(os.path.join(here, left))

    def listed(self, path):
        return subprocess.run([self.lsr, "--no-cache", "-R", "--json", path], cwd=self.where, capture_output=True, check=False).stdout.count(b"\n")

    def unpack(self, n):
        here = os.path.join(self.where, "unpack")
        old, new = contents(f"{self.where}/old"), contents(f"{self.where}/new")
        took = {}
        for form in FORMATS[:2]:
            self.run(["--pack", f"--output=new.{form}", "new"])
            took[form] = self.time(["--unpack", f"new.{form}", "--output=unpack"])
            shutil.rmtree(here)
        for i in range(n):
            form, name, over = FORMATS[i % 2], SIGNALS[i // 2 % 4], i // 8 % 2
            if over:
                shutil.copytree(f"{self.where}/old", f"{here}/new")
            status = self.interrupt(["--unpack", "--force", f"new.{form}", "--output=unpack"], name, took[form] * 1.1)
            found = contents(f"{here}/new")
            halves = [path for path, data in found.items() if path in new and data not in (new[path], old[path] if over else None)]
            strays = [path for path in found if path not in new]
            lost = [path for path in old if over and path not in found]
            problems = []
            if halves and (over or name != "KILL" or len(halves) > 1):
                problems.append(f"{len(halves)} are neither old nor new, such as {halves[0]}")
            if lost:
                problems.append(f"{len(lost)} old ones are gone, such as {lost[0]}")
            if strays and (name != "KILL" or len(strays) > 1):
                problems.append(f"beside them lies {strays[0]}")
            if name == "STOP" and (status != 0 or found != new):
                problems.append(f"status {status} and not all after it went on")
            result = "a half file" if halves else "a stray file" if strays else "whole files"
            self.seen["unpack", name, "over old ones" if over else "new", result] += 1
            self.judge(f"--unpack {form} {name} {'over old ones' if over else 'new'}", problems)
            shutil.rmtree(here, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--pack", type=int, default=500)
    parser.add_argument("--unpack", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    # Where a shell runs this behind its back SIGINT is ignored, and a child would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="lsr-kills-") as where:
        for seed, name in enumerate(("old", "new")):
            make_tree(os.path.join(where, name), seed)
        campaign = Campaign(os.path.abspath(args.lsr), args.seed, where)
        campaign.pack(args.pack)
        campaign.unpack(args.unpack)
    for (command, name, over, result), n in sorted(campaign.seen.items()):
        print(f"--{command} {over}, SIG{name}{'+SIGCONT' if name == 'STOP' else ''}: {n} times {result}")
    print(f"{campaign.passed} passed, {campaign.failed} failed")
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
