#!/usr/bin/env python3
"""static.py [--build DIR] [--jobs N] [--filter GLOB] [TOOL...] - what gcc -fanalyzer, clang-tidy and cppcheck say of the source

Of src and formats, with the commands of DIR/compile_commands.json.  What a tool says that static.txt does not excuse is a
failure, and so are an excuse that excuses nothing, a tool that is not there, and one that does not end as it should.
Prints `N passed, N failed`: one for each file and tool.
"""
import argparse
import concurrent.futures
import fnmatch
import functools
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
# What cppcheck is not told by itself: for which machine it is.
MACHINE = re.compile(r"#define (__(?:x86_64|i386|aarch64|riscv|riscv_xlen|powerpc64|LP64|LITTLE_ENDIAN)(?:__)?) (\S+)$", re.M)
PATIENCE_S = 1800  # for a file
SAID = re.compile(r"^([^\s:]+):(\d+):\d+: (?:warning|error|style|performance|portability): (.*?) ?\[([^\]]+)\]$")


def gcc(words, path):
    kept = [w for w in words if w.startswith(("-I", "-D", "-std", "-O", "-f")) and not w.startswith(("-fdiagnostics", "-fsanitize", "-fcolor"))]
    return ["gcc", *kept, "-fanalyzer", "-fdiagnostics-plain-output", "-S", path, "-o", "/dev/null"]


def tidy(words, path):
    return [CLANG_TIDY, "--quiet", f"--checks={TIDY}", "-p", os.environ["STATIC_BUILD"], path]


@functools.cache
def machine():
    compiler = next(filter(shutil.which, ("gcc", "clang-14", "clang")), None)
    if not compiler:
        return []
    run = subprocess.run([compiler, "-dM", "-E", "-x", "c", "/dev/null"], capture_output=True, text=True, check=True)
    return [f"-D{name}={value}" for name, value in MACHINE.findall(run.stdout)]


def cppcheck(words, path):
    defines = [w for w in words if w.startswith(("-I", "-D"))] + machine()
    return ["cppcheck", "--quiet", "--enable=warning,performance,portability", "--inconclusive", "--std=c11", "--library=gnu", "--library=posix", "--suppress=missingInclude",
            "--suppress=unknownMacro", "--template={file}:{line}:{column}: warning: {message} [{id}]", *defines, path]


CLANG_TIDY = shutil.which("clang-tidy-14") or "clang-tidy"
TOOLS = {"gcc": gcc, "clang-tidy": tidy, "cppcheck": cppcheck}
PROGRAMS = {"gcc": "gcc", "clang-tidy": CLANG_TIDY, "cppcheck": "cppcheck"}


def excuses():
    """Of each: tool, check, file, reason."""
    with open(os.path.join(HERE, "static.txt"), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.strip() and not line.startswith("#"):
                excuse = tuple(line.split(None, 3))
                if len(excuse) < 4 or excuse[0] not in TOOLS:
                    sys.exit(f"static.txt:{number}: not of the form TOOL CHECK FILE REASON")
                yield excuse


def strip_outputs(words):
    kept, skip = [], False
    for word in words:
        if not skip and word not in ("-o", "-MF", "-MQ"):
            kept.append(word)
        skip = not skip and word in ("-o", "-MF", "-MQ")
    return kept


def relative(path):
    return os.path.relpath(os.path.normpath(path), ROOT)


def source(entry):
    return relative(os.path.join(entry["directory"], entry["file"]))


def read_entries(build, glob):
    """One of each file that a build compiles."""
    try:
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
            entries = {source(e): e for e in json.load(f)}
    except OSError as error:
        sys.exit(f"static.py: {error}\nmake a build: CC=clang-14 meson setup {build} --buildtype=release && ninja -C {build}")
    kept = [e for name, e in entries.items() if re.fullmatch(r"(src|formats)/[^.]*\.c", name) and
            (fnmatch.fnmatch(name, glob) or fnmatch.fnmatch(e["file"], glob))]
    if not kept:
        sys.exit(f"static.py: {build} compiles nothing of src and formats here" + ("" if glob == "*" else f" that is {glob}"))
    return kept


def positive(text):
    if int(text) < 1:
        raise ValueError
    return int(text)


def look(tool, entry):
    words = strip_outputs(shlex.split(entry["command"]))
    path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
    command, found = TOOLS[tool](words, path), set()
    try:
        run = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True, errors="replace",
                             timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return tool, relative(path), {(relative(path), 0, "failed", f"no end after {PATIENCE_S} s")}
    for line in (run.stdout + run.stderr).splitlines():
        m = SAID.match(line)
        if m:
            name = relative(os.path.join(entry["directory"], m[1]))
            found.add((name, int(m[2]), m[4].split(",")[0], m[3]))
    if run.returncode:
        said = (run.stderr or run.stdout).strip()[-300:]
        found.add((relative(path), 0, "failed", f"exit status {run.returncode}: {said}"))
    return tool, relative(path), found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build/clang"))
    parser.add_argument("--jobs", type=positive, default=os.cpu_count())
    parser.add_argument("--filter", default="*", help="a glob over files")
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=", ".join(TOOLS))
    args = parser.parse_args()
    for tool in args.tools:
        if tool not in TOOLS:
            parser.error(f"{tool} is none of {', '.join(TOOLS)}")
    os.environ["STATIC_BUILD"] = build = os.path.abspath(args.build)
    entries = read_entries(build, args.filter)
    excused, used, passed, failed = list(excuses()), set(), 0, 0
    tools = list(dict.fromkeys(args.tools)) or list(TOOLS)
    for tool in [t for t in tools if not shutil.which(PROGRAMS[t])]:
        print(f"{tool} is not installed: nothing was looked at with it")
        tools.remove(tool)
        failed += 1
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(look, tool, e) for tool in tools for e in entries]
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
            if e not in used and e[0] in tools:
                print(f"static.txt: nothing is excused by: {' '.join(e[:3])}")
                failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
