#!/usr/bin/env python3
"""ran.py [--page PAGE] [DIR] - what was run and how it ended, from the logs of ./dev test --long in DIR (build/test)

Prints the table of docs/security.md: a row for each log of a step that goes on for long, dated as the log is, and one for the
fuzzers, whose hours are those of tests/fuzz/hours.tsv.  --page writes it there, where a row without a log stays as it was.
"""
import argparse
import collections
import os
import re
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BEGIN, END = "<!-- ran -->\n", "<!-- end of ran -->\n"
HEAD = "| what | passed | failed | date |\n| --- | --: | --: | --- |\n"
STEPS = {
    "damaged-release": "damaged bundles, each through five commands (`campaign.py`)",
    "damaged-asan": "the same with sanitizers",
    "intact-members,-all": "damaged bundles against bsdtar, unzip and SQLite: no intact member is lost (`oracle.py`)",
    "kills,-all": "commands, each of them, with a signal at a random moment (`kills.py`)",
    "all-faults": "commands of which a call fails, or whose bundle is cut short (`faults.py`)",
    "faults-asan": "the same with sanitizers, some of them",
    "all-faults,-kernels": "commands on other kernels, in containers, with few resources (`kernels.py`)",
    "booted-kernels": "commands on Linux 5.10, 6.1 and 6.12 in qemu, as they come and with less (`boot.py`)",
    "clocks": "commands while the wall clock jumps (`kernels.py --jump`)",
    "all-faults,-lies": "commands on a file system that lies (`liar.py`)",
    "starved": "commands of which an allocation fails (`starve.py`)",
    "bombs": "commands on bombs (`bombs.py`)",
    "fuzz-corpus": "the corpus of the fuzzers, each input also changed (`replay.c`)",
    "static-care": "source files through gcc -fanalyzer, clang-tidy, cppcheck (`static.py`)",
    "builds-elsewhere": "units with gcc 14, with clang 19, on aarch64, on i386, with musl (`builds.py`)",
}
SUM = re.compile(r"^(\d+) passed, (\d+) failed(?:, \d+ skipped)?$", re.M)


def row_of_log(path, what):
    with open(path, encoding="utf-8", errors="replace") as f:
        sums = SUM.findall(f.read())
    if not sums:
        return None
    passed, failed = (int(n) for n in sums[-1])
    return f"| {what} | {passed:,} | {failed:,} | {time.strftime('%F', time.gmtime(os.path.getmtime(path)))} |\n"


def row_of_fuzzers():
    with open(os.path.join(ROOT, "tests/fuzz/hours.tsv"), encoding="utf-8") as f:
        runs = [line.rstrip("\n").split("\t") for line in f][1:]
    if not runs:
        return ""
    seconds = collections.Counter()
    for run in runs:
        seconds[run[1]] += int(run[3])
    hours = ", ".join(f"`{name}` {n / 3600:.1f}" for name, n in seconds.most_common())
    inputs, found = (sum(int(run[i]) for run in runs) for i in (4, 5))
    total = sum(seconds.values()) / 3600
    return f"| inputs made by libFuzzer and AFL++ in {total:.1f} hours of a processor: {hours} | {inputs - found:,} | {found:,} | {max(runs)[0]} |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--page")
    parser.add_argument("logs", nargs="?", default=os.path.join(ROOT, "build/test"))
    args = parser.parse_args()
    before = ""
    if args.page:
        with open(args.page, encoding="utf-8") as f:
            page = f.read()
        before = page[page.index(BEGIN) : page.index(END)]
    rows = ""
    for step, what in STEPS.items():
        log = os.path.join(args.logs, step + ".log")
        row = os.path.exists(log) and row_of_log(log, what)
        rows += row or next((line + "\n" for line in before.splitlines() if line.startswith(f"| {what} |")), "")
    table = HEAD + rows + row_of_fuzzers()
    print(table, end="")
    if args.page:
        with open(args.page, "w", encoding="utf-8") as f:
            f.write(page.replace(before, f"{BEGIN}\n{table}\n"))


if __name__ == "__main__":
    main()
