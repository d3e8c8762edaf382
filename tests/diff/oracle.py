"""oracle - what the tests of lsr's own views share: arguments, runs, and the sum

A check is a call of Oracle.check(); it passes, or says what differs.
"""
import argparse
import difflib
import os
import shutil
import subprocess
import sys
import tempfile

ENGINES = "sync,threads,uring,auto"
SANITIZERS = ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")


class Oracle:
    def __init__(self, description, rounds, quick_rounds):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--lsr", required=True, metavar="BINARY")
        parser.add_argument("--engines", default=ENGINES, metavar="LIST", help="default: %(default)s")
        parser.add_argument("--rounds", type=int, metavar="N", help=f"random trees (default: {rounds}, --quick: {quick_rounds})")
        parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the first tree; the next has the next (default: %(default)s)")
        parser.add_argument("--quick", action="store_true", help="fewer trees, the first engine alone")
        parser.add_argument("--keep", action="store_true", help="leave the trees behind and say where")
        self.args = args = parser.parse_args()
        self.lsr = os.path.realpath(args.lsr)
        self.engines = args.engines.split(",")[:1 if args.quick else None]
        self.seeds = range(args.seed, args.seed + (args.rounds or (quick_rounds if args.quick else rounds)))
        self.passed = self.failed = 0
        self.env = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": "/nonexistent", "PATH": os.environ["PATH"]}
        self.env.update({name: os.environ[name] for name in SANITIZERS if name in os.environ})
        os.umask(0o022)

    def run(self, argv, cwd, **env):
        """(exit status, standard output, standard error) of a program."""
        done = subprocess.run(argv, cwd=cwd, env={**self.env, **env}, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def ask(self, engine, args, cwd, **env):
        """What lsr prints, and behind it whatever is wrong besides."""
        status, out, err = self.run([self.lsr, "--no-cache", *args], cwd, LSR_IO=engine, **env)
        return out if status == 0 and not err else out + b"exit status %d\n" % status + err

    def check(self, label, want, have):
        """One check: two texts or two lists of lines."""
        if want == have:
            self.passed += 1
            return True
        self.failed += 1
        print(f"FAIL {label}")
        for line in list(difflib.unified_diff(lines_of(want), lines_of(have), "expected", "lsr", lineterm="", n=0))[:12]:
            print("    " + line[:400])
        return False

    def main(self, one, finish=lambda: None):
        """Run one(seed, an empty directory) for each seed, then finish(); the exit status."""
        if os.geteuid() != 0:
            sys.exit("the trees need root (devices, owners)")
        top = tempfile.mkdtemp(prefix="lsr-oracle-")
        os.chmod(top, 0o755)
        try:
            for seed in self.seeds:
                place = os.path.join(top, str(seed))
                os.mkdir(place)
                one(seed, place)
                if not self.args.keep:
                    shutil.rmtree(place)
        finally:
            if self.args.keep:
                print("kept:", top)
            else:
                shutil.rmtree(top)
        finish()
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def lines_of(value):
    if isinstance(value, bytes):
        value = value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        value = value.split("\n")
    return [line if isinstance(line, str) else repr(line) for line in value]
