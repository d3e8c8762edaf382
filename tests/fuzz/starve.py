#!/usr/bin/env python3
"""starve - a listing in which each allocation fails once

    starve.py --lsr build/asan/tests/fuzz/lsr-starved --corpus DIR [--every N]

Bundles of the corpus are listed, packed and unpacked, and the Nth allocation of
lsr fails, or that of its worker, for each N until there are no more.  The
outcome must be one of these: all is printed as without the failure; or the
status is not 0 and a message says why.  Anything else fails: a signal, a report
of a sanitizer, silence.
"""
import argparse
import os
import subprocess
import sys
import tempfile


def attempt(lsr, command, at, scratch):
    told = os.path.join(scratch, "told")
    env = {"LC_ALL": "C", "TZ": "UTC", "LSR_IO": "sync", "LSR_STARVE": str(at), "LSR_STARVE_FILE": told,
           "XDG_CACHE_HOME": os.path.join(scratch, "cache"), "UBSAN_OPTIONS": "halt_on_error=1",
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "detect_leaks=1")}
    done = subprocess.run([lsr, *command], env=env, cwd=scratch, capture_output=True, timeout=60, check=False)
    return done, os.path.getsize(told) > 0


def problem(done, whole):
    """None, or what is wrong with this outcome."""
    if b"Sanitizer" in done.stderr or b"runtime error" in done.stderr or b"Assertion" in done.stderr:
        return "a report"
    if done.returncode not in (0, 1, 2):
        return f"status {done.returncode}"
    if done.returncode == 0 and done.stdout != whole.stdout:
        return "part of it is missing, and the status is 0"
    if done.returncode != 0 and not done.stderr.startswith(b"lsr: "):
        return "nothing is said"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--corpus", required=True, help="a directory of seeds.py")
    parser.add_argument("--every", type=int, default=1, help="fail only each Nth, for a shorter run")
    parser.add_argument("--only", default="", help="commands with this text")
    args = parser.parse_args()
    lsr, corpus = os.path.abspath(args.lsr), os.path.abspath(args.corpus)
    bundles = [f"{corpus}/{path}" for path in ("tar/good-pax", "zip/good-deflate", "sqlite/good-plain-512", "lsr1/good-packed",
                                               "identify/good-tar-gz", "identify/good-tar-xz", "cpio/good-bsdtar-0")]
    commands = [["-lR", bundle] for bundle in bundles if os.path.exists(bundle)]
    commands += [["-lR", "--tree", bundles[0]], ["--check", bundles[1]], ["--json", bundles[2]]]
    commands += [["-lR", corpus + "/tar"], ["--cat", bundles[0] + "/dir/b"]]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for command in commands:
            if args.only not in " ".join(command):
                continue
            whole, _ = attempt(lsr, command, 0, scratch)
            for sign, who in ((1, "lsr"), (-1, "its worker")):
                at, hit = 1, True
                while hit:
                    done, hit = attempt(lsr, command, sign * at, scratch)
                    what = problem(done, whole) if hit else None
                    if what:
                        failed += 1
                        print(f"LSR_STARVE={sign * at} lsr {' '.join(command)} ({who}): {what}")
                        print(done.stderr.decode(errors="replace")[:600])
                    else:
                        passed += hit
                    at += args.every
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
