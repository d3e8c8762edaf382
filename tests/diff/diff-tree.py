#!/usr/bin/env python3
"""diff-tree - lsr --tree against tree(1), byte for byte

    tests/diff/diff-tree.py --lsr BINARY [--engines LIST] [--rounds N] [--seed S] [--quick]

Random trees with odd names, through options that both have.  Two things are
made the same before: tree shows where links lead, lsr only with -l; and tree
draws with blanks that do not break.
"""
import os
import random
import re
import sys

from oracle import Oracle
from randomtree import LINK, Tree

# tree's options, lsr's options
SAME = [
    ([], []),
    (["-a"], ["-A"]),
    (["-L", "1"], ["--level=1"]),
    (["-a", "-L", "2"], ["-A", "--tree=2"]),
    (["-a", "-L", "3"], ["-A", "--level=3"]),
    (["-a", "-L", "40"], ["-A", "--level=40"]),
    (["-a", "-L", "2"], ["-A", "-L", "2"]),
    (["-L", "3"], ["-L3"]),
    (["-a", "-P", "*.c*|a[0-9]*"], ["-A", "--only=*.c*", "--only=a[0-9]*"]),
    (["-r"], ["-r"]),
    (["-a", "-U"], ["-A", "-U"]),
    (["-a", "-t", "-r"], ["-A", "-t"]),
    (["-a", "--dirsfirst"], ["-A", "--group-directories-first"]),
    (["-a", "-F"], ["-A", "-F"]),
    (["-a", "-I", "*.c*|a[0-9]*"], ["-A", "-I", "*.c*", "-I", "a[0-9]*"]),
]
LOCALES = ("C.UTF-8", "C")
TARGET = re.compile(rb" -> " + re.escape(LINK) + rb"[a-zA-Z0-9.]*[/*=|]?(?=\n)")


def as_lsr(text, marks):
    """What tree printed, as lsr prints it."""
    text = TARGET.sub(b"@" if marks else b"", text)
    return text.replace("│\u00a0\u00a0 ".encode(), "│   ".encode())


def one(oracle, seed, place):
    rng = random.Random(seed)
    # Hard links have one time, and of those tree turns the order of the names around.
    tree = Tree(rng, os.path.join(place, "t"), rng.choice([0, 3, 60, 150]) if seed > 1 else 200, hard=False, crowd=400 if seed == 1 else 0)
    below = sorted(os.path.relpath(path, os.fsencode(place)) for path in rng.sample(tree.dirs, min(3, len(tree.dirs))))
    operands = [["t"], ["./t"], below] if seed > 1 else [["t"]]
    for names in operands:
        for locale in LOCALES:
            for theirs, ours in SAME:
                # lsr sorts operands, too, as ls does; those here are in the order of their names.
                if len(names) > 1 and {"-r", "-t", "-U"} & set(theirs):
                    continue
                status, want, err = oracle.run(["tree", "-N", "-n", "--noreport", *theirs, "--", *names], place, LC_ALL=locale)
                if status or err:
                    raise RuntimeError(f"tree {theirs}: {status}, {err!r}")
                want = as_lsr(want, "-F" in theirs)
                for engine in oracle.engines:
                    oracle.check(f"seed {seed} {locale} {engine}: lsr --tree {' '.join(ours)} {names}", want,
                                 oracle.ask(engine, ["--tree", *ours, "--", *names], place, LC_ALL=locale))


if __name__ == "__main__":
    o = Oracle("lsr --tree against tree(1)", 12, 3)
    sys.exit(o.main(lambda seed, place: one(o, seed, place)))
