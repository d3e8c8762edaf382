#!/usr/bin/env python3
"""oracle - what another tool restores of a damaged bundle as it was packed, lsr lists and restores, too

    oracle.py --lsr BINARY [--each N] [--seed S] [FORMAT...]

A tree of files and links is packed, and N copies of the bundle are damaged in one or two places.  A member is intact where the oracle, which is
unzip, SQLite or bsdtar, restores it with the type and the bytes that it had.  Of these none may be missing from what lsr
lists (-R), or from what it restores (--unpack), nor have other bytes there.

Bundles for which that does not hold are kept in --keep.  The last line counts bundles.
"""
import collections
import contextlib
import gzip
import json
import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import zlib

from campaign import NUMBERS, damaged, parser_of

LIMIT_S = 60
TIME = 1577934245  # so that a seed makes the same bundles, but for the order in which a directory gives its files


def make_tree(rng, top):
    """Files of 0 to 20,000 bytes, half of them text that compresses, in three directories, with symbolic links."""
    for n in range(20):
        path = os.path.join(top, f"d{n % 3}" if n % 4 else ".", f"file{n}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        size = rng.choice((0, 1, 100, 511, 512, 513, 3000, 20000))
        with open(path, "wb") as f:
            f.write(rng.randbytes(size) if n % 2 else (b"line %d of some text\n" % rng.randrange(10**6) * 1000)[:size])
        if n % 5 == 0:
            os.symlink(f"to{n}", path + ".link")
    for folder, _, names in os.walk(top, topdown=False):
        for name in (*names, "."):
            os.utime(os.path.join(folder, name), (TIME, TIME), follow_symlinks=False)


def tree_of(top):
    """{path: bytes of a file, or target of a link}; what cannot be read is not there."""
    found = {}
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            key = os.path.relpath(path, top)
            try:
                if os.path.islink(path):
                    found[key] = os.readlink(path)
                elif os.path.isfile(path):
                    with open(path, "rb") as f:
                        found[key] = f.read()
            except OSError:
                pass
    return found


def overwritten(rng, data):
    """In place, so that what has offsets keeps most of them."""
    data = bytearray(data)
    for _ in range(1 + rng.randrange(2)):
        at = rng.randrange(len(data))
        number = rng.choice((*NUMBERS, rng.randbytes(1), rng.randbytes(16)))
        data[at : at + len(number)] = number[: len(data) - at]
    return bytes(data)


def from_sqlar(bundle, top):
    """What SQLite itself reads, row by row.  (sqlite3 -Ax ends at the first error.)"""
    with contextlib.closing(sqlite3.connect(f"file:{bundle}?mode=ro", uri=True)) as db:
        db.text_factory = os.fsdecode
        try:
            numbers = [row[0] for row in db.execute("SELECT rowid FROM sqlar NOT INDEXED")]
        except (sqlite3.Error, UnicodeDecodeError):  # the message may have bytes of the file
            numbers = range(1, 100)
        for number in numbers:
            try:
                # With all columns, without which there is no archive for sqlite3 -A either.
                for name, mode, _, size, data in db.execute("SELECT name, mode, mtime, sz, data FROM sqlar WHERE rowid = ?", (number,)):
                    # sqlite3 -A, too, takes a name up to its first NUL.
                    path = os.path.normpath(os.path.join(top, name.split("\0")[0]))
                    # No other types were packed.
                    if not path.startswith(top + os.sep) or not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
                        continue
                    # As sqlar_uncompress() takes them.
                    content = data if stat.S_ISLNK(mode) or size <= 0 or size == len(data) else zlib.decompress(data)
                    if size > 0 and len(content) != size:
                        continue
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    if stat.S_ISLNK(mode):
                        os.symlink(content, path)
                    else:
                        with open(path, "wb") as f:
                            f.write(content)
            except (sqlite3.Error, zlib.error, OSError, TypeError, AttributeError, ValueError, OverflowError):
                pass


# Commands, in which {out} is the bundle and {dir} where it goes; restore may be a function of the two.
Format = collections.namedtuple("Format", "suffix pack restore")


def formats(lsr):
    bsdtar = ["bsdtar", "-xf", "{out}", "-C", "{dir}"]
    return {
        "tar": Format("tar", ["tar", "-cf", "{out}", "."], bsdtar),
        "pax": Format("tar", ["bsdtar", "--format=pax", "-cf", "{out}", "."], bsdtar),
        "tar in gzip": Format("tar", ["tar", "-cf", "{out}", "."], bsdtar),
        "tar.gz": Format("tar.gz", ["tar", "-czf", "{out}", "."], bsdtar),
        "lsr1": Format("tar.zst", [lsr, "--pack", ".", "--output={out}"], bsdtar),
        "zip": Format("zip", ["zip", "-qry", "{out}", "."], ["unzip", "-qqo", "{out}", "-d", "{dir}"]),
        "lsr zip": Format("zip", [lsr, "--pack", ".", "--output={out}"], ["unzip", "-qqo", "{out}", "-d", "{dir}"]),
        "sqlar": Format("sqlar", ["sqlite3", "{out}", "-Ac", "."], from_sqlar),
        "lsr sqlar": Format("sqlar", [lsr, "--pack", ".", "--output={out}"], from_sqlar),
        # libarchive reads on no further than to the first member that is damaged, in lsr too.
        "7z": Format("7z", ["7z", "a", "-snl", "-ms=off", "-bd", "{out}", "."], bsdtar),
        "cpio": Format("cpio", ["bsdtar", "--format=newc", "-cf", "{out}", "."], bsdtar),
    }


def run(argv, **words):
    """Exit status and what it said; None where it took too long."""
    try:
        ran = subprocess.run([w.format(**words) if "{" in w else w for w in argv], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, timeout=LIMIT_S, check=False, cwd=words.get("cwd"))
        return ran.returncode, ran.stderr.decode(errors="surrogateescape")
    except subprocess.TimeoutExpired:
        return None, ""


def listed(lsr, bundle):
    """{path: size} of the files and links that lsr lists."""
    out = subprocess.run([lsr, "--json", "-R", "-A", bundle], stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False).stdout
    found = {}
    for line in out.decode(errors="surrogateescape").splitlines():
        row = json.loads(line)
        if isinstance(row.get("path"), str) and row.get("type") in ("file", "symlink"):
            found[os.path.relpath(row["path"], bundle)] = row.get("size")
    return found


class Oracle:
    def __init__(self, args):
        self.args = args
        self.rng = random.Random(args.seed)
        self.formats = formats(args.lsr)
        self.members = 0

    def damage(self, name, data):
        if name == "sqlar" or name == "lsr sqlar" or self.rng.randrange(2):
            data = overwritten(self.rng, data)
        else:
            data = damaged(self.rng, [data], 2)
        return data

    def one(self, name, data, was):
        """What is wrong with a damaged bundle: paths and words."""
        form = self.formats[name]
        with tempfile.TemporaryDirectory(prefix="lsr-oracle-") as top:
            bundle = os.path.join(top, "bundle." + form.suffix + (".gz" if name == "tar in gzip" else ""))
            with open(bundle, "wb") as f:
                f.write(gzip.compress(data, 1) if name == "tar in gzip" else data)
            theirs, ours = os.path.join(top, "theirs"), os.path.join(top, "ours")
            os.mkdir(theirs)
            said = ""
            if callable(form.restore):
                form.restore(bundle, theirs)
            else:
                said = run(form.restore, out=bundle, dir=theirs)[1]
            intact = {path: content for path, content in tree_of(theirs).items() if was.get(path) == content}
            # What had no content, and now has none because it could not be read, is not restored.
            intact = {path: content for path, content in intact.items() if content or path not in said}
            self.members += len(intact)
            if not intact:
                return []
            ran = subprocess.run([self.args.lsr, "--unpack", "--force", "--output=" + ours, bundle], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
            said = ran.stderr.decode(errors="surrogateescape")
            if ran.returncode not in (0, 1, 2):
                return [f"lsr --unpack ended with {ran.returncode}"]
            rows, have = listed(self.args.lsr, bundle), tree_of(ours)
            wrong = []
            for path, content in sorted(intact.items()):
                # The listed size is damaged, and lsr says so; what no checksum proves to be right is not restored.
                told = rows.get(path, len(content)) != len(content) and f"{path}'" in said
                if told and path not in have:
                    self.members -= 1
                    continue
                # A damaged size may be none, and is listed as unknown then.
                if path not in rows or not told and rows[path] not in (None, len(content)):
                    wrong.append(f"{path} is listed with {rows[path]} bytes" if path in rows else f"{path} is not listed")
                if have.get(path) != content:
                    wrong.append(f"{path} is not {'what it was' if path in have else 'restored'}")
            return wrong

    def all_of(self, name):
        form, failed = self.formats[name], 0
        with tempfile.TemporaryDirectory(prefix="lsr-oracle-") as top:
            tree, out = os.path.join(top, "tree"), os.path.join(top, "made." + form.suffix)
            os.mkdir(tree)
            make_tree(self.rng, tree)
            if run(form.pack, out=out, cwd=tree)[0] != 0:
                sys.exit(f"oracle.py: cannot pack {name}")
            was = tree_of(tree)
            with open(out, "rb") as f:
                good = f.read()
            before, wrong = self.members, self.one(name, good, was)
            if wrong or self.members - before != len(was):
                sys.exit(f"oracle.py: {name} that is not damaged is not restored: {wrong}")
            for n in range(self.args.each):
                data = self.damage(name, good)
                wrong = self.one(name, data, was)
                if wrong:
                    failed += 1
                    os.makedirs(self.args.keep, exist_ok=True)
                    kept = os.path.join(self.args.keep, f"oracle-{name.replace(' ', '-')}-{self.args.seed}-{n}.{form.suffix}")
                    with open(kept, "wb") as f:
                        f.write(data)
                    if not os.path.exists(kept + ".tree"):
                        shutil.copytree(tree, kept + ".tree", symlinks=True)
                    print(f"{kept}: {'; '.join(wrong[:4])}, {len(wrong)} in all", flush=True)
        return failed


def main():
    args = parser_of(__doc__).parse_args()
    args.lsr = os.path.abspath(args.lsr)
    oracle, total, failed = Oracle(args), 0, 0
    for name in args.formats or oracle.formats:
        before = oracle.members
        bad = oracle.all_of(name)
        total += args.each
        failed += bad
        print(f"{name:12} {args.each:7,} bundles, {oracle.members - before:8,} intact members, {bad} bundles with findings", flush=True)
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
