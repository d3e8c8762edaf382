#!/usr/bin/env python3
"""diff-ls - lsr against GNU ls, byte for byte

    diff-ls.py --lsr BINARY [--engines sync,threads,uring] [--jobs N] [--quick] [--filter S]
    diff-ls.py --self           GNU ls against itself: the harness must be quiet

Each case of combos.py runs over the zoo of zoo.py in each locale, once with GNU
ls and once per engine with lsr, called as "ls".  Standard output, standard error
and exit status must be the same.  The first engine runs in all locales, the
others in C.UTF-8 only.  One GNU run serves all engines of a locale.

Exit status: 0 all the same, 1 some differ, 2 the test itself could not run.
"""
import argparse
import collections
import difflib
import fcntl
import multiprocessing
import os
import pty
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

import combos
import zoo

LOCALES = ["C.UTF-8", "C", "en_US.UTF-8"]
GNU = "/usr/bin/ls"
NOBODY = 65534
TIMEOUT_S = 60
SANITIZERS = ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")

# Standard output of the child: what bash makes of it before it becomes ls.
REDIRECTIONS = {"closed": ">&-", "full": ">/dev/full"}

Outcome = collections.namedtuple("Outcome", "status out err")


def environment(case, locale, engine):
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": locale, **case.env}
    if engine:
        env["LSR_IO"] = engine
        env.update({name: os.environ[name] for name in SANITIZERS if name in os.environ})
    return env


def run(binary, case, locale, engine, where):
    kind, _, size = case.mode.partition(":")
    argv, executable = [b"ls", *case.args], binary
    if kind in REDIRECTIONS:
        executable = "/bin/bash"
        argv = [b"bash", b"-c", b'exec -a ls "$0" "$@" ' + REDIRECTIONS[kind].encode(), os.fsencode(binary), *case.args]
    options = dict(executable=executable, cwd=where, env=environment(case, locale, engine), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if case.user:
        options.update(user=NOBODY, group=NOBODY, extra_groups=[])
    if kind == "pty":
        return run_on_terminal(argv, options, *map(int, size.split("x")))
    if kind == "epipe":
        reader, writer = os.pipe()
        os.close(reader)
        options["stdout"] = writer
    else:
        options["stdout"] = subprocess.PIPE
    process = subprocess.Popen(argv, **options)
    if kind == "epipe":
        os.close(writer)
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += b"[killed: no end]"
    return Outcome(process.returncode, out or b"", err)


def run_on_terminal(argv, options, rows, columns):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(argv, stdout=slave, **options)
    os.close(slave)
    watchdog = threading.Timer(TIMEOUT_S, process.kill)
    watchdog.start()
    chunks = []
    try:
        while chunk := os.read(master, 65536):
            chunks.append(chunk)
    except OSError:
        pass                        # EIO: the other side is closed
    os.close(master)
    err = process.stderr.read()
    process.stderr.close()
    process.wait()
    watchdog.cancel()
    return Outcome(process.returncode, b"".join(chunks), err)


def shell_word(value):
    """Quoted for bash, also where the bytes are not printable."""
    value = os.fsencode(value)
    text = value.decode("utf-8", "replace")
    if text.isprintable() and "\ufffd" not in text:
        return shlex.quote(text)
    return "$'" + "".join(f"\\x{b:02x}" if b < 32 or b > 126 else "\\" + chr(b) if b in b"'\\" else chr(b) for b in value) + "'"


def command_line(case, locale, engine):
    """What to type, in the zoo, to see it again."""
    env = {"LC_ALL": locale, **({"LSR_IO": engine} if engine else {}), **case.env}
    words = [f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups env"] if case.user else []
    words += [f"{name}={shell_word(value)}" for name, value in env.items()]
    words += ["ls", *map(shell_word, case.args)]
    text = " ".join(words)
    if len(text) > 500:
        text = text[:500] + "..."
    return text if case.mode == "pipe" else f"{text}   [output: {case.mode}]"


def split_lines(text, start):
    """What surrounds the first difference, which is after start; difflib is quadratic."""
    return [repr(line)[1:300] for line in text[start:start + 20000].splitlines(keepends=True)[:300]]


def difference(want, got):
    """A few lines that say how the two outcomes differ."""
    lines = []
    if want.status != got.status:
        lines.append(f"status: GNU {want.status}, lsr {got.status}")
    for stream in ("err", "out"):
        a, b = getattr(want, stream), getattr(got, stream)
        if a == b:
            continue
        start = a.rfind(b"\n", 0, len(os.path.commonprefix((a, b)))) + 1
        delta = difflib.unified_diff(split_lines(a, start), split_lines(b, start), n=0, lineterm="")
        delta = [line for line in delta if not line.startswith(("---", "+++"))]
        lines += [f"std{stream}:", *delta[:6]]
        if len(delta) > 6:
            lines.append(f"  ... {len(delta) - 6} more")
    return lines


def compare(job):
    """One case in one locale with all its engines: [(engine, differences)]."""
    case, locale, engines = job
    want = run(GNU, case, locale, None, SETTINGS["zoo"])
    results = []
    for engine in engines:
        got = run(SETTINGS["binary"], case, locale, engine, SETTINGS["zoo"])
        if want != got and case.mode.startswith("pty"):
            # Once in some thousand times the kernel loses what a terminal's last writer wrote.
            want = run(GNU, case, locale, None, SETTINGS["zoo"])
            got = run(SETTINGS["binary"], case, locale, engine, SETTINGS["zoo"])
        results.append((engine, difference(want, got) if want != got else None))
    return case, locale, results


SETTINGS = {}       # inherited by the forked workers


def have_locale(name):
    names = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.lower().replace("utf-8", "utf8").split()
    return name.lower().replace("utf-8", "utf8") in names


def usable_locales():
    """All of LOCALES that exist, en_US made in the system archive if need be."""
    for name in LOCALES:
        if not have_locale(name) and name.startswith("en_US") and shutil.which("localedef"):
            subprocess.run(["localedef", "-i", "en_US", "-f", "UTF-8", name], capture_output=True)
    return [name for name in LOCALES if name == "C" or have_locale(name)]


def plan(cases, locales, engines, quick):
    """Jobs in the order of the cases, and how many comparisons are skipped."""
    jobs, skipped = [], 0
    for i, case in enumerate(cases):
        for locale in LOCALES:
            wanted = engines if locale == LOCALES[0] else engines[:1]
            if locale not in locales:
                skipped += len(wanted)
            elif not quick or (locale == LOCALES[0] and i % 5 == 0):
                jobs.append((case, locale, wanted if not quick else engines[:1]))
    return jobs, skipped


def reachable_by_anyone(path):
    probe = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "test", "-x", path]
    return subprocess.run(probe).returncode == 0


def install(binary, scratch):
    """The binary as scratch/ls: a link, or a copy where nobody could not reach it."""
    target = os.path.join(scratch, "ls")
    os.symlink(os.path.realpath(binary), target)
    if not reachable_by_anyone(target):
        os.unlink(target)
        shutil.copy(binary, target)
        os.chmod(target, 0o755)
    return target


def arguments():
    parser = argparse.ArgumentParser(description="compare lsr with GNU ls")
    parser.add_argument("--lsr", metavar="BINARY", help="the binary to test")
    parser.add_argument("--self", action="store_true", help="test GNU ls against itself")
    parser.add_argument("--engines", default="sync,threads,uring", help="values of LSR_IO (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--quick", action="store_true", help="each fifth case, first engine, C.UTF-8 only")
    parser.add_argument("--filter", default="", metavar="S", help="only cases whose 'group: command line' contains S")
    parser.add_argument("--show", type=int, default=40, metavar="N", help="print at most N mismatches, all groups are counted (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print the cases and leave")
    parser.add_argument("--keep", action="store_true", help="leave the zoo behind and say where")
    options = parser.parse_args()
    if not (options.lsr or options.self or options.list):
        parser.error("--lsr BINARY or --self is needed")
    return options


def main():
    options = arguments()
    label = lambda case: f"{case.group}: {command_line(case, '*', None)}"
    cases = [case for case in combos.all_cases() if options.filter in label(case)]
    if options.list:
        print("\n".join(map(label, cases)))
        return 0
    if os.geteuid() != 0:
        sys.exit("diff-ls: the zoo needs root (devices, owners)")
    started = time.monotonic()
    engines = ["self"] if options.self else options.engines.split(",")
    locales = usable_locales()
    scratch = tempfile.mkdtemp(prefix="lsr-diff-")
    tmpfs = tempfile.mkdtemp(prefix="lsr-diff-", dir="/dev/shm") if os.path.isdir("/dev/shm") else None
    try:
        for path in filter(None, (scratch, tmpfs)):
            os.chmod(path, 0o755)
        SETTINGS["binary"] = install(GNU if options.self else options.lsr, scratch)
        SETTINGS["zoo"] = os.path.join(scratch, "zoo")
        for note in zoo.Zoo(SETTINGS["zoo"], tmpfs).build():
            print("zoo:", note)
        os.utime(scratch, ns=(zoo.FUTURE_NS, zoo.T0_NS))
        jobs, skipped = plan(cases, locales, engines, options.quick)
        failed = report(jobs, skipped, options, started)
    finally:
        if options.keep:
            print("zoo kept:", SETTINGS.get("zoo"), "binary:", SETTINGS.get("binary"))
        else:
            shutil.rmtree(scratch)
            if tmpfs:
                shutil.rmtree(tmpfs)
    return 1 if failed else 0


def report(jobs, skipped, options, started):
    passed, by_group, shown = 0, collections.Counter(), 0
    with multiprocessing.Pool(options.jobs) as pool:
        for case, locale, results in pool.imap(compare, jobs, chunksize=8):
            for engine, lines in results:
                if lines is None:
                    passed += 1
                    continue
                by_group[case.group] += 1
                if shown < options.show:
                    shown += 1
                    print(f"FAIL {case.group} | {locale} | {engine} | {'nobody' if case.user else 'root'}")
                    print("  $", command_line(case, locale, engine))
                    print("".join(f"    {line}\n" for line in lines), end="", flush=True)
    failed = sum(by_group.values())
    if failed:
        print("failed by group:", ", ".join(f"{group} {n}" for group, n in by_group.most_common()))
    print(f"{time.monotonic() - started:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(2)
