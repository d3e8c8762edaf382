#!/usr/bin/env python3
"""diff-lsr1 - docs/lsr1.py, written from the specification alone, reads what lsr --pack writes

    tests/diff/diff-lsr1.py --lsr BINARY [--quick]

vectors      docs/bundle-vectors.md is what --pack writes
rows         the same members with the same fields as lsr --json -R
content      of every file, as it was packed; extracted, the same tree
steps        more members than sums lie apart, and a directory that is listed through these
first draft  a bundle without checksums in the seek table, and without sums: both read it
digests      with a column of digests --check finds what is right and what is not
damaged      bytes and ends of the index: the reader refuses, or says what is true; lsr lists all the same

--quick: fewer damages.
"""
import argparse
import calendar
import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from bundletree import ENV, make_tree, sh

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
READER = os.path.join(TOP, "docs", "lsr1.py")
sys.path.insert(0, os.path.join(TOP, "docs"))
sys.dont_write_bytecode = True
import lsr1  # noqa: E402

TYPES = {"directory": "d", "file": "f", "symlink": "l"}
results = {"passed": 0, "failed": 0}


def tell(label, wrong):
    results["failed" if wrong else "passed"] += 1
    if wrong:
        print(f"FAIL {label}: {len(wrong)} differences")
        for line in wrong[:12]:
            print("    " + str(line).encode("unicode_escape").decode())


def run(*args, cwd):
    return subprocess.run(args, cwd=cwd, env=ENV, stdin=subprocess.DEVNULL, capture_output=True)


def zstd(data):
    return subprocess.run(["zstd", "-qc", "--check", "--stream-size=%d" % len(data)], input=data, capture_output=True, check=True).stdout


def lsr_rows(lsr, bundle, top):
    """By path: what lsr shows, in the words of the reader."""
    rows = {}
    for line in run(lsr, "--json", "-RA", "--no-cache", bundle, cwd=top).stdout.splitlines():
        o = json.loads(line)
        if "bundle" not in o:
            continue
        rows[o["path"].split("/", 1)[1]] = (TYPES[o["type"]], o["mode"], o["uid"], o["gid"], o.get("user", ""), o.get("group", ""),
                                            o["size"], date(o["mtime"]), o.get("target"))
    return rows


def date(text):
    return [calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")), int(text[20:29])]


def py_rows(bundle):
    c = bundle.catalogue
    out = {}
    for row in lsr1.below(c, 0):
        o = lsr1.describe(c, row)
        out[o["path"]] = (o["type"], o["mode"], o["uid"], o["gid"], o["user"], o["group"], o["size"], o["mtime"], o.get("target"))
    return out


def differences(want, got):
    return [(k, want.get(k), got.get(k)) for k in sorted({*want, *got}) if want.get(k) != got.get(k)]


# --- bundles of another kind, made of what --pack writes ---------------------------------


def remake(path, to, edit, draft=2):
    """The bundle at @path with the columns that edit(columns, bundle) leaves, {id: (width, encoding, shift, data)}."""
    b = lsr1.Bundle(path)
    with open(path, "rb") as f:
        data = f.read()
    end = b.frames[-1][0] + b.frames[-1][1]
    length = struct.unpack_from("<I", data, end + 4)[0]
    toc = subprocess.run(["zstd", "-dcq"], input=data[end + 8:end + 8 + length], capture_output=True, check=True).stdout
    columns = {}
    for i in range(struct.unpack_from("<H", toc, 6)[0]):
        id_, width, encoding, shift, offset, n = struct.unpack_from("<HBBIQQ", toc, 24 + 24 * i)
        columns[id_] = (width, encoding, shift, toc[offset:offset + n])
    sums = b.sums[:-2] if draft == 2 else []
    entries = [struct.pack("<II", f[1], f[3]) + (struct.pack("<I", sums[i]) if sums else b"") for i, f in enumerate(b.frames)]
    edit(columns, b)
    if 64 in columns:
        columns[64] = (0, 0, 0, struct.pack("<I", zlib.crc32(b"".join(entries))))
    offset, table, body = 24 + 24 * len(columns), b"", b""
    for id_, (width, encoding, shift, column) in columns.items():
        table += struct.pack("<HBBIQQ", id_, width, encoding, shift, offset + len(body), len(column))
        body += column + bytes(-len(column) % 8)
    toc = toc[:6] + struct.pack("<H", len(columns)) + toc[8:24] + table + body
    t = zstd(toc)
    locator = struct.pack("<II8sHHIQQQQI", lsr1.MAGIC, 56, b"LSRTOC\r\n", 1, 0, 0, end, len(t), len(toc), b.tar_length, b.catalogue.rows)
    none = struct.pack("<I", 0x51D8E999) if sums else b""
    entries += [struct.pack("<II", len(t) + 8, 0) + none, struct.pack("<II", 64, 0) + none]
    seek = b"".join(entries) + struct.pack("<IBI", len(entries), 0x80 if sums else 0, lsr1.FOOTER_MAGIC)
    with open(to, "wb") as f:
        f.write(data[:end] + struct.pack("<II", lsr1.MAGIC, len(t)) + t + locator + struct.pack("<I", zlib.crc32(locator)) +
                struct.pack("<II", lsr1.TABLE_MAGIC, len(seek)) + seek)


def without(*ids):
    return lambda columns, bundle: [columns.pop(id_, None) for id_ in ids]


def with_digests(columns, bundle, wrong=False):
    c, out = bundle.catalogue, bytearray(32 * bundle.catalogue.rows)
    for row in range(c.rows):
        if c.mode(row) & 0xF000 == 0x8000 and not c.value(36, row) & 0x5:
            out[32 * row:32 * row + 32] = hashlib.sha256(bundle.content(row)).digest()
            last = row
    out[32 * last] ^= wrong
    columns[65] = (0, 0, 0, bytes(out))


# --- the tests --------------------------------------------------------------------------


def agree(label, lsr, bundle, top):
    b = lsr1.Bundle(os.path.join(top, bundle))
    tell(f"rows {label}", differences(lsr_rows(lsr, bundle, top), py_rows(b)))
    return b


def content(lsr, top):
    b = agree("tree", lsr, "tree.tar.zst", top)
    wrong = []
    for row in lsr1.below(b.catalogue, 0):
        path = os.fsdecode(b.catalogue.path(row))
        if os.path.isfile(os.path.join(top, path)) and not os.path.islink(os.path.join(top, path)) and "sparse" not in path:
            with open(os.path.join(top, path), "rb") as f:
                if f.read() != b.content(row):
                    wrong.append(path)
    tell("content tree", wrong)
    done = run(sys.executable, READER, "cat", "tree.tar.zst", "tree/sparse", cwd=top)
    tell("holes are refused", [] if done.returncode == 1 and b"use tar" in done.stderr else [done.stderr])
    sh("mkdir p; cp -a tree p/tree; rm p/tree/sparse; cd p; \"$1\" --pack tree; /usr/bin/env python3 \"$2\" extract tree.tar.zst out; "
       "diff -r --no-dereference tree out/tree", top, lsr, READER)
    tell("extracted", [])


def steps(lsr, top):
    sh("mkdir many; cd many; for d in $(seq 100 190); do mkdir $d; (cd $d; seq -f '%.0f' 1 100 | xargs touch); done; echo x >185/50", top)
    run(lsr, "--pack", "many", cwd=top)
    b = agree("many", lsr, "many.tar.zst", top)
    c, sums, names, dirs, children = b.catalogue, [], 0, 0, 1
    position, data = c.columns.get(34), c.columns.get(35)
    for row in range(c.rows):
        if row and row % lsr1.STEP == 0:
            sums += [names, dirs, children, position[row - 1], data[row - 1]]
        names += len(c.name(row))
        dirs += c.mode(row) & 0xF000 == 0x4000
        children += c.first[row + 1] - c.first[row]
    tell("sums", [] if sums and sums == c.columns[5] else [sums, c.columns.get(5)])
    remake(os.path.join(top, "many.tar.zst"), os.path.join(top, "old.tar.zst"), without(5, 64), draft=1)
    agree("first draft", lsr, "old.tar.zst", top)
    for path in ("many/100", "many/185", "many/190", "many/185/50"):
        new, old = (run(lsr, "-l", "--no-cache", f"{name}.tar.zst/{path}", cwd=top) for name in ("many", "old"))
        one = new.stdout.replace(b"many.tar.zst", b"") == old.stdout.replace(b"old.tar.zst", b"") != b""
        tell(f"first draft, {path}", [] if one and not new.stderr + old.stderr else [new, old])
    done = run(lsr, "--check", "old.tar.zst", cwd=top)
    tell("first draft, --check", [] if done.returncode == 0 else [done.stderr])


def digests(lsr, top):
    for wrong in (False, True):
        remake(os.path.join(top, "tree.tar.zst"), os.path.join(top, "sha.tar.zst"), lambda c, b: with_digests(c, b, wrong))
        agree(f"with digests, wrong {wrong}", lsr, "sha.tar.zst", top)
        done = run(lsr, "--check", "sha.tar.zst", cwd=top)
        right = done.returncode == 1 and b"other content than its digest" in done.stderr if wrong else done.returncode == 0
        tell(f"digests, wrong {wrong}", [] if right else [done.returncode, done.stderr])


def damaged(lsr, top, n):
    sh("mkdir s; seq 400 >s/f1; echo two >s/f2; ln s/f1 s/hard; ln -s f2 s/soft", top)
    run(lsr, "--pack", "s", cwd=top)
    with open(os.path.join(top, "s.tar.zst"), "rb") as f:
        data = f.read()
    bad = os.path.join(top, "bad.tar.zst")
    want, good = py_rows(lsr1.Bundle(os.path.join(top, "s.tar.zst"))), lsr_rows(lsr, "s.tar.zst", top)
    end = data.rfind(b"LSRTOC\r\n") - 8
    start = struct.unpack_from("<Q", data, end + 24)[0]
    rng, wrong, refused, fallen = random.Random(5), [], 0, []
    for i in range(n):
        at = rng.randrange(start, len(data))
        changed = data[:at] + (b"" if i % 10 == 0 else bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1:])
        with open(bad, "wb") as f:
            f.write(changed)
        try:
            if py_rows(lsr1.Bundle(bad)) != want:
                wrong.append(f"byte {at}")
        except lsr1.NoIndex:
            refused += 1
        if i % 8 == 0 and lsr_rows(lsr, "bad.tar.zst", top) != good:
            fallen.append(f"byte {at}: {i}")
    tell("damaged, the reader", wrong or ([] if refused > n / 2 else [f"refused {refused} of {n}"]))
    # Of a file that is cut short in T the tar is whole; zstd says that there is something behind it.
    tell("damaged, lsr", fallen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    lsr = os.path.abspath(args.lsr)
    with tempfile.TemporaryDirectory(prefix="lsr-lsr1-") as top:
        done = run(sys.executable, os.path.join(TOP, "docs", "lsr1-vectors.py"), lsr, "--check", cwd=TOP)
        tell("vectors", [] if done.returncode == 0 else [done.stdout, done.stderr])
        make_tree(top)
        run(lsr, "--pack", "tree", cwd=top)
        content(lsr, top)
        steps(lsr, top)
        digests(lsr, top)
        damaged(lsr, top, 80 if args.quick else 600)
    print(f"{results['passed']} passed, {results['failed']} failed")
    return results["failed"] > 0


sys.exit(main())
