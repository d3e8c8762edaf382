#!/usr/bin/env python3
"""coverage.py --build DIR [--page FILE] - lines and branches that the tests have run, a directory a row

Reads by gcovr what DIR, built with -Db_coverage=true, has counted, and writes the page.
"""
import argparse
import collections
import datetime
import glob
import json
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = """# Coverage

What `./dev coverage` has counted on {date}, commit {commit}: units, command cases on plain calls and through the ring, and the
corpus of the fuzz targets, in a build of its own (gcc, gcovr) without asserts. Branches are those of gcov, which counts both
ends of each condition; exceptions there are none. `src/compare` and `src/remote` are run by tests of their own, the latter against servers,
which are not counted here. The parsers, which are held to 90 % of lines and 80 % of branches, are in `formats` and
`catalogue`.

| directory | lines | of them run | branches | of them taken |
| --- | --: | --: | --: | --: |
{rows}
## Below the line

Parsers with less than 90 % of lines or 80 % of branches:

| file | lines | of them run | branches | of them taken |
| --- | --: | --: | --: | --: |
{below}"""


def share(run, of):
    return f"{100 * run / of:.1f} %" if of else "-"


def row(name, n):
    return f"| `{name}` | {n[0]:,} | {share(n[1], n[0])} | {n[2]:,} | {share(n[3], n[2])} |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--page")
    args = parser.parse_args()
    command = ["gcovr", "--root", ROOT, *sorted(glob.glob(args.build + "/src/*.p")), "--filter", ROOT + "/src/", "--filter", ROOT + "/formats/",
               "--exclude-unreachable-branches", "--exclude-throw-branches", "--gcov-ignore-parse-errors", "-j", "2", "--json-summary"]
    files = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout)["files"]
    sums, below = collections.defaultdict(lambda: [0] * 4), []
    for file in files:
        n = [file["line_total"], file["line_covered"], file["branch_total"], file["branch_covered"]]
        directory = os.path.dirname(file["filename"])
        for place in directory, "all":
            sums[place] = [a + b for a, b in zip(sums[place], n)]
        if directory.startswith(("formats", "src/catalogue")) and n[0] and (n[1] < 0.9 * n[0] or n[3] < 0.8 * n[2]):
            below.append(row(file["filename"], n))
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    text = PAGE.format(date=datetime.date.today(), commit=commit, below="".join(below),
                       rows="".join(row(name, sums[name]) for name in sorted(sums, key=lambda name: (name == "all", name))))
    if args.page:
        with open(args.page, "w", encoding="utf-8") as f:
            f.write(text)
    print(text)


if __name__ == "__main__":
    main()
