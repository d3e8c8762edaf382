#!/usr/bin/env python3
"""random-runs - whatever is asked of lsr, it ends, and in one of the three ways

    tests/diff/random-runs.py --lsr BINARY [--runs N] [--seed S] [--verbose]

Random command lines: options that --help=all names, with values that are good, bad
and absent, and operands of every kind.  Each run must end by itself, with exit
status 0, 1 or 2 (--compare: as it says), without a signal, and without a report
of a sanitizer.  A run that fails is printed as a command that can be copied;
the runs of a seed are the same each time.
"""
import argparse
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

LIMIT_S = 60
COMMANDS = ["", "", "", "", "", "", "--cat", "--check", "--unpack", "--pack"]
VALUES = ["", "0", "1", "-1", "3", "80", "18446744073709551616", "auto", "always", "never", "none", "size", "time", "long", "c",
          "locale", "iso", "+%F %T", "+", "'1", "K", "kB", "*", "*~", "[", "a/**/b", "/", "inode,mode,age", "size,,", "octal", "sync",
          "uring", "threads", "tar", "zip", "sqlar", "@1", "x", "\xff", "out", "required"]
# --output may name anything that exists; it is drawn apart.
APART = {"--help", "--version", "--output", "--html", "--compare", "--cat", "--check", "--unpack", "--pack"}


def make_zoo():
    """Files of all kinds in the current directory, and bundles of some of them."""
    script = r"""
        mkdir -p d/sub/deep d/empty 'with blank' many
        printf x >d/file; printf 'text\n' >d/sub/a.c; ln -s file d/link; ln -s nowhere d/broken; ln -s . d/loop
        ln -s d dirlink; mkfifo d/fifo; mknod d/null c 1 3 2>/dev/null || true
        touch "$(printf 'new\nline')" "$(printf 'tab\t\033[31m')" "$(printf '\377')" -- -dash '~' '#'
        for i in $(seq 300); do : >many/file-$i; done
        chmod 4755 d/file; setfacl -m u:1:r d/sub/a.c 2>/dev/null || true
        tar -cf b.tar d; tar -czf b.tar.gz d many; (cd d && zip -q -r -y ../b.zip file sub link); tar -c b.zip d/file | zstd -q >nested.tar.zst
        sqlite3 a.db 'CREATE TABLE t (k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID; INSERT INTO t VALUES (1, 2), ("a/b", zeroblob(1));
                      CREATE TABLE u (x); INSERT INTO u VALUES (1), (NULL), ("text"); CREATE VIEW w AS SELECT * FROM u;'
        sqlite3 -A -cf s.sqlar d/sub; lsr --pack d --output=l.tar.zst 2>/dev/null || true
        head -c 700 b.tar.gz >cut.tar.gz; head -c 3000 b.tar >cut.tar; printf 'PK\003\004junk' >bad.zip; : >empty
        git init -q work; (cd work && echo 1 >tracked && git add . && echo 2 >other)
    """
    subprocess.run(["bash", "-c", script], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


OPERANDS = [".", "d", "d/", "d/file", "d/link", "d/broken", "d/loop", "d/fifo", "d/null", "dirlink", "with blank", "many", "missing",
            "missing/x", "d/file/x", "", "/dev/null", "empty", "-dash", "./-dash", "~", "work", "work/tracked", "b.tar", "b.tar/", "b.tar/d/sub",
            "b.tar/missing", "b.tar.gz", "b.tar.gz/many", "b.zip", "b.zip/sub/a.c", "b.zip/file", "nested.tar.zst/b.zip/sub", "a.db", "a.db/t",
            "a.db/u/1", "a.db/u/1/x", "a.db/w", "a.db/.schema.sql", "s.sqlar", "s.sqlar/d/sub/a.c", "l.tar.zst", "l.tar.zst/d/link", "cut.tar",
            "cut.tar.gz", "bad.zip", "-", "new\nline", "\udcff", "x" * 300, "d/" * 100]


def options_of(lsr):
    """[(option, takes a value: False, True or None for perhaps)], of --help=all."""
    text = subprocess.run([lsr, "--help=all"], capture_output=True, text=True, check=True).stdout
    found = []
    for line in text.splitlines():
        match = re.match(r"  (?:(-\S)(?:, )?)? *(--[a-z-]+)?(?:[ =]([A-Z:]+)(?=\s|$)|(\[=))?", line)
        for form in match.groups()[:2] if match else ():
            if form and form not in APART:
                found.append((form, True if match[3] else None if match[4] else False))
    return found


def draw(rng, options):
    words = [rng.choice(COMMANDS)]
    command = words[0]
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 6])):
        form, value = rng.choice(options)
        if value or (value is None and rng.random() < 0.5):
            text = rng.choice(VALUES)
            form = f"{form}={text}" if form.startswith("--") else form + text
        words.append(form)
    if command in ("--unpack", "--pack"):
        words.append("--output=" + rng.choice(["out", "out.tar", "out.zip", "out.tar.zst", "out.sqlar", "d", "-", "missing/out", "/dev/full"]))
        words.append("--force")
    words += ["--"] if rng.random() < 0.1 else []
    operands = [rng.choice(OPERANDS) for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))]
    # As cat does, --cat waits for the writer of a FIFO.
    words += [operand for operand in operands if command != "--cat" or operand != "d/fifo"]
    return [word for i, word in enumerate(words) if i > 0 or word]


def run(lsr, words, env, logs):
    """None, or what is wrong."""
    argv = [os.fsencode(word.encode("utf-8", "surrogateescape") if "\udcff" in word else word) for word in [lsr, *words]]
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env, timeout=LIMIT_S,
                              check=False)
    except subprocess.TimeoutExpired:
        return f"did not end within {LIMIT_S} s"
    reports = [os.path.join(logs, name) for name in os.listdir(logs)]
    if reports:
        with open(reports[0], errors="replace") as file:
            text = file.read()
        for path in reports:
            os.unlink(path)
        return "a sanitizer reports:\n" + text[:4000]
    if done.returncode not in (0, 1, 2):
        return f"ended with {done.returncode}: {done.stderr[-300:].decode(errors='replace')}"
    return None


def main():
    parser = argparse.ArgumentParser(description="random command lines")
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--runs", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print each command line before it is run")
    args = parser.parse_args()
    lsr = os.path.realpath(args.lsr)
    options, rng, failed = options_of(lsr), random.Random(args.seed), 0
    with tempfile.TemporaryDirectory(prefix="lsr-random-") as top:
        zoo, logs = os.path.join(top, "zoo"), os.path.join(top, "logs")
        os.mkdir(zoo)
        os.mkdir(logs)
        os.chdir(zoo)
        env = {"PATH": os.path.dirname(lsr) + ":" + os.environ["PATH"], "HOME": top, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            env[name] = ":".join(filter(None, [os.environ.get(name), f"log_path={logs}/report"]))
        os.environ["PATH"] = env["PATH"]
        make_zoo()
        for path in os.listdir(logs):
            os.unlink(os.path.join(logs, path))
        for i in range(args.runs):
            words = draw(rng, options)
            if args.verbose:
                print(shlex.join(["lsr", *words]), flush=True)
            wrong = run(lsr, words, env, logs)
            if wrong:
                failed += 1
                print(f"FAIL run {i} of seed {args.seed}: {shlex.join(['lsr', *words])}\n    " + wrong.replace("\n", "\n    "))
        os.chdir("/")
    print(f"{args.runs - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
