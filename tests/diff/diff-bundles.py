#!/usr/bin/env python3
"""diff-bundles - a bundle is listed as if it had been unpacked

    tests/diff/diff-bundles.py --lsr BINARY [--engines sync,threads,uring] [--filter WORD]

A tree is packed by every tool that can, unpacked by the same tool, and `lsr -lR
--time-style=full-iso` of the bundle is compared with that of the unpacked tree
on the fields that the format keeps.  `lsr -R` and -1 are compared as they are.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from bundletree import ENV, FORMATS, make_tree, sh


def run_lsr(lsr, engine, args, cwd):
    done = subprocess.run([lsr, f"--io={engine}", "--no-cache", *args], cwd=cwd, env=ENV, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def rows(text, keeps, unit):
    """What is left of a long listing when what the format does not keep is blotted out."""
    result = []
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        fields = line.split(None, 8)
        if line.startswith("marks: "):
            continue
        if line.startswith("total") or len(fields) < 9:
            result.append("" if line.startswith("total") else line)
            continue
        mode, nlink, user, group, size, date, clock, zone, name = fields
        if name == "..":
            continue  # of the topmost directory it is another one
        directory, link = mode[0] == "d", mode[0] == "l"
        second, _, fraction = clock.partition(".")
        if unit >= 1:
            clock = second
        result.append(" ".join([
            mode.rstrip("!=*#") if "mode" in keeps else mode[0],
            nlink if "nlink" in keeps else "-",
            f"{user}:{group}" if "owner" in keeps else "-",
            "-" if directory or "size" not in keeps or link and "nlink" not in keeps else size,
            f"{date} {clock} {zone}" if unit and not (directory or link) else "-",
            name,
        ]))
    return result


def compare(label, want, have):
    if want == have:
        return True
    print(f"FAIL {label}")
    import difflib
    for line in list(difflib.unified_diff(want, have, "unpacked", "bundle", lineterm="", n=0))[:12]:
        print("    " + line.encode("utf-8", "backslashreplace").decode())
    return False


def main():
    parser = argparse.ArgumentParser(description="bundles against what the stock tools unpack")
    parser.add_argument("--lsr", required=True, metavar="BINARY")
    parser.add_argument("--engines", default="sync,threads,uring", metavar="LIST")
    parser.add_argument("--filter", default="", metavar="WORD")
    args = parser.parse_args()
    lsr = os.path.abspath(args.lsr)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="lsr-bundles-") as top:
        make_tree(top)
        for name, suffix, pack, unpack, keeps, unit in FORMATS:
            if args.filter not in name:
                continue
            bundle = os.path.join(top, name + suffix)
            place = os.path.join(top, "out-" + name)
            os.mkdir(place)
            sh(pack, top, bundle)
            sh(unpack, place, bundle)
            inner = "plain" if name == "sqlar" else "tree"
            for engine in args.engines.split(","):
                for options in (["-R"], ["-R1"], ["-RF"], ["-lR", "--time-style=full-iso"], ["-laR", "--time-style=full-iso"]):
                    label = f"{name} {' '.join(options)} [{engine}]"
                    want = run_lsr(lsr, engine, [*options, inner], place)
                    have = run_lsr(lsr, engine, [*options, f"{bundle}/{inner}"], top)
                    a = want[1].replace(inner.encode(), b"@") if options[0] != "-R" else want[1].replace(inner.encode(), b"@")
                    b = have[1].replace(f"{bundle}/{inner}".encode(), b"@").replace(inner.encode(), b"@")
                    long = options[0].startswith("-l")
                    ok = compare(label, rows(a, keeps, unit) if long else a.decode("utf-8", "surrogateescape").splitlines(),
                                 rows(b, keeps, unit) if long else b.decode("utf-8", "surrogateescape").splitlines())
                    if have[0] != 0 or have[2]:
                        ok = False
                        print(f"FAIL {label}: exit {have[0]}: {have[2].decode(errors='replace').strip()}")
                    passed += ok
                    failed += not ok
            shutil.rmtree(place)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
