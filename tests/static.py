#!/usr/bin/env python3
"""static.py [--build DIR] [--jobs N] [TOOL...] - what gcc -fanalyzer, clang-tidy and cppcheck say of src and formats

The commands are those of DIR/compile_commands.json.  What a tool says that static.txt does not excuse is a failure, and so is
an excuse that excuses nothing.  Prints `N passed, N failed`: one for each file and tool.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TIDY = "-*,bugprone-*,clang-analyzer-*"
# What these say is a matter of taste here, thousands of times: parameters of one type beside each other, memcpy(), widening.
TIDY += "".join(",-" + check for check in (
    "bugprone-easily-swappable-parameters", "clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling",
    "bugprone-narrowing-conversions", "bugprone-implicit-widening-of-multiplication-result", "bugprone-assignment-in-if-condition",
    "bugprone-reserved-identifier", "bugprone-branch-clone"))
SAID = re.compile(r"^([^\s:]+):(\d+):\d+: (?:warning|error|style|performance|portability): (.*?) ?\[([^\]]+)\]$")


def gcc(words, path):
    kept = [w for w in words if w.startswith(("-I", "-D", "-std", "-O", "-f")) and not w.startswith(("-fdiagnostics", "-fsanitize", "-fcolor"))]
    return ["gcc", *kept, "-fanalyzer", "-fdiagnostics-plain-output", "-S", path, "-o", "/dev/null"]


def tidy(words, path):
    return [shutil.which("clang-tidy-14") or "clang-tidy", "--quiet", f"--checks={TIDY}", "-p", os.environ["STATIC_BUILD"], path]


def cppcheck(words, path):
    defines = [w for w in words if w.startswith(("-I", "-D"))]
    return ["cppcheck", "--quiet", "--enable=warning,performance,portability", "--inconclusive", "--std=c11", "--library=gnu", "--library=posix", "--suppress=missingInclude",
            "--suppress=unknownMacro", "--template={file}:{line}:{column}: warning: {message} [{id}]", *defines, path]


TOOLS = {"gcc": gcc, "clang-tidy": tidy, "cppcheck": cppcheck}


def excuses():
    """Of each: tool, check, file, reason."""
    with open(os.path.join(HERE, "static.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                yield tuple(line.split(None, 3))


def strip_outputs(words):
    kept, skip = [], False
    for word in words:
        if not skip and word not in ("-o", "-MF", "-MQ"):
            kept.append(word)
        skip = not skip and word in ("-o", "-MF", "-MQ")
    return kept


def look(tool, entry):
    words = strip_outputs(shlex.split(entry["command"]))
    path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
    run = subprocess.run(TOOLS[tool](words, path), cwd=entry["directory"], capture_output=True, text=True, check=False)
    found = set()
    if tool == "gcc" and run.returncode:
        found.add((os.path.relpath(path, ROOT), 0, "failed", run.stderr.strip()[:300]))
    for line in (run.stdout + run.stderr).splitlines():
        m = SAID.match(line)
        if m:
            name = os.path.relpath(os.path.normpath(os.path.join(entry["directory"], m[1])), ROOT)
            found.add((name, int(m[2]), m[4].split(",")[0], m[3]))
    return tool, os.path.relpath(path, ROOT), found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build/clang"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--filter", default="*", help="a glob over files")
    parser.add_argument("tools", nargs="*", metavar="TOOL")
    args = parser.parse_args()
    os.environ["STATIC_BUILD"] = args.build
    with open(os.path.join(args.build, "compile_commands.json"), encoding="utf-8") as f:
        entries = {entry["file"]: entry for entry in json.load(f)}
    entries = [e for e in entries.values() if re.search(r"/(src|formats)/[^.]*\.c$", e["file"]) and fnmatch.fnmatch(e["file"], args.filter)]
    excused, used, passed, failed = list(excuses()), set(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(look, tool, e) for tool in args.tools or TOOLS for e in entries]
        for job in concurrent.futures.as_completed(jobs):
            tool, path, found = job.result()
            bad = []
            for name, line, check, text in sorted(found):
                why = [e for e in excused if e[0] == tool and fnmatch.fnmatch(check, e[1]) and fnmatch.fnmatch(name, e[2])]
                used.update(why[:1])
                if not why:
                    bad.append(f"{name}:{line}: {text} [{check}] ({tool})")
            passed += not bad
            failed += bool(bad)
            if bad:
                print("\n".join(bad), flush=True)
    if args.filter == "*":
        for e in excused:
            if e not in used and (not args.tools or e[0] in args.tools):
                print(f"static.txt: nothing is excused by: {' '.join(e[:3])}")
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
