#!/usr/bin/env python3
"""diff-tools - what lsr says of the members of a bundle is what other programs say

    tests/diff/diff-tools.py --lsr BINARY [--engines sync,threads,uring] [--filter WORD] [--quick]

`lsr --json -R` against bsdtar, GNU tar, zipinfo, 7z, cpio and sqlite3 -A: names,
types, modes, sizes, times, owners and link targets, each where the program
tells it.  bsdtar tells it as an mtree, which has more digits than its -tv.

The bundles are made here of one tree by every packer there is, of a real tree
of the system, and found below /usr: --quick leaves out all but the first.
"""
import argparse
import datetime
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

from bundletree import ENV, make_tree, sh

# Packers: suffix, script ($1 the bundle), who is asked.
PACKED = [
    ("gnu", ".tar", "tar --format=gnu -cf $1 tree", "bsdtar tar"),
    ("posix", ".tar", "tar --format=posix -cf $1 tree", "bsdtar tar"),
    ("ustar", ".tar", "tar --format=ustar -cf $1 tree", "bsdtar tar"),
    ("v7", ".tar", "tar --format=v7 -cf $1 plain/sub plain/many plain/zero", "bsdtar tar"),
    ("bsd", ".tar", "bsdtar -cf $1 tree", "bsdtar tar"),
    ("gnutar", ".tar", "bsdtar --format=gnutar -cf $1 tree", "bsdtar tar"),
    ("owners", ".tar", "tar --owner=nobody:1234567 --group=users:7654321 -cf $1 tree", "bsdtar tar"),
    ("sparse", ".tar", "tar --format=posix -S -cf $1 tree", "bsdtar tar"),
    ("sparse-gnu", ".tar", "tar --format=gnu -S -cf $1 tree", "bsdtar tar"),
    ("devices", ".tar", "tar --format=posix -C / -cf $1 dev/null dev/zero; tar -rf $1 fifo", "bsdtar tar"),
    ("gz", ".tar.gz", "tar -czf $1 tree", "bsdtar tar"),
    ("zst", ".tar.zst", "tar -c tree | zstd -q -o $1", "bsdtar"),
    ("xz", ".tar.xz", "tar -cJf $1 tree", "bsdtar tar"),
    ("bz2", ".tar.bz2", "tar -cjf $1 tree", "bsdtar tar"),
    ("lz4", ".tar.lz4", "tar -c tree | lz4 -q - $1", "bsdtar"),
    ("info", ".zip", "zip -q -r -y $1 tree", "bsdtar zipinfo 7z"),
    ("bsd", ".zip", "bsdtar --format=zip -cf $1 tree", "bsdtar zipinfo"),
    ("streamed", ".zip", "cd tree && zip -q -r -y - plain sub many >$1", "zipinfo"),
    ("dos", ".zip", "cd plain && zip -q -r -k -X $1 sub zero", "bsdtar-names zipinfo"),
    ("noextra", ".zip", "zip -q -r -X $1 plain", "bsdtar zipinfo 7z-names"),
    ("seven", ".zip", "7z a -bd -bso0 -tzip $1 plain", "bsdtar-names zipinfo-names 7z"),
    ("java", ".jar", "python3 -m zipfile -c $1 plain/sub plain/many plain/zero", "bsdtar zipinfo 7z-names"),
    ("lzma2", ".7z", "7z a -bd -bso0 -snl $1 tree", "bsdtar 7z"),
    ("stored", ".7z", "7z a -bd -bso0 -mx=0 -snl $1 tree", "bsdtar 7z"),
    ("bsd", ".7z", "bsdtar --format=7zip -cf $1 tree", "bsdtar 7z"),
    ("rock", ".iso", "xorriso -as mkisofs -quiet -R -o $1 -graft-points tree=tree", "bsdtar 7z-names"),
    ("bsd", ".iso", "bsdtar --format=iso9660 -cf $1 tree", "bsdtar"),
    ("newc", ".cpio", "find tree | cpio --quiet -o -H newc >$1", "bsdtar cpio"),
    ("crc", ".cpio", "find tree | cpio --quiet -o -H crc >$1", "bsdtar cpio"),
    ("odc", ".cpio", "find tree | cpio --quiet -o -H odc >$1", "bsdtar cpio"),
    ("bin", ".cpio", "find tree | cpio --quiet -o -H bin 2>&1 >$1", "bsdtar cpio"),
    ("gz", ".cpio.gz", "find tree | cpio --quiet -o -H newc | gzip >$1", "bsdtar"),
    ("gnu", ".a", "ar rcs $1 tree/plain tree/sub/a.c tree/many/1*", "bsdtar"),
    ("warc", ".warc", "bsdtar --format=warc -cf $1 plain/sub/a.c plain/many", "bsdtar"),
    ("level1", ".lha", "cd plain && jlha -aq1 $1 sub/a.c zero many/1 many/2", "bsdtar-names"),
    ("sfx", ".run", "7z a -bd -bso0 -snl -sfx7zCon.sfx $1 tree", "7z"),
    ("bsd", ".mtree", "bsdtar --format=mtree -cf $1 tree", "bsdtar"),
    ("set", ".mtree", "bsdtar --format=mtree --options=use-set -cf $1 tree", "bsdtar"),
    ("indent", ".mtree", "bsdtar --format=mtree --options=indent,use-set -cf $1 tree", "bsdtar"),
    ("gz", ".mtree.gz", "bsdtar --format=mtree -czf $1 tree", "bsdtar"),
    ("all", ".sqlar", "sqlite3 -A -cf $1 tree", "sqlite3"),
]

# A tree of the system, the first that is there.
REAL_TREES = ["/usr/share/perl", "/usr/share/doc", "/usr/include"]
REAL_PACKED = [
    (".tar", "tar -C $2 -cf $1 .", "bsdtar tar"),
    (".tar.gz", "tar -C $2 -czf $1 .", "bsdtar tar"),
    (".zip", "cd $2 && zip -q -1 -r -y $1 .", "bsdtar zipinfo"),
    (".7z", "cd $2 && 7z a -bd -bso0 -mx=0 -snl $1 .", "bsdtar 7z"),
    (".cpio", "cd $2 && find . | cpio --quiet -o -H newc >$1", "bsdtar cpio"),
    (".sqlar", "cd $2 && sqlite3 -A -cf $1 .", "sqlite3"),
]
FOUND_SUFFIXES = {".zip": "zipinfo", ".jar": "zipinfo", ".whl": "zipinfo", ".a": "bsdtar", ".deb": "bsdtar",
                  ".rpm": "bsdtar", ".tar": "bsdtar", ".tgz": "bsdtar", ".gz": "bsdtar", ".xz": "bsdtar", ".iso": "bsdtar"}
FOUND_MAX = 8  # of each suffix
FOUND_BYTES_MAX = 30 << 20

KINDS = {"-": "file", "d": "directory", "l": "symlink", "c": "char-device", "b": "block-device", "p": "fifo", "h": "file"}
MTREE_KINDS = {"dir": "directory", "link": "symlink", "char": "char-device", "block": "block-device"}


def clean(name):
    """As lsr shows a stored name: below the root, without what leads nowhere."""
    parts = []
    for part in name.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def mode_bits(text):
    """rwsr-x--T as a number."""
    bits = 0
    for i, c in enumerate(text[:9]):
        if c not in "-ST":
            bits |= 0o400 >> i
        if c in "sStT":
            bits |= (0o4000, 0o2000, 0o1000)[i // 3]
    return bits


def local(text, form):
    return int(time.mktime(time.strptime(text, form)))


def utc(text):
    return int(datetime.datetime.fromisoformat(text + "+00:00").timestamp())


def digits(fraction):
    return int((fraction + "000000000")[:9])


# --- what they say: rows of (name, fields); later rows win ------------------------


def ask_bsdtar(bundle):
    """Of hard links an mtree does not tell the size."""
    options = ",".join("mtree:" + f for f in "!all type mode size time uid gid uname gname link device".split())
    text = sh('bsdtar -cf - --format=mtree --options="$2" @"$1"', "/", bundle, options)
    for line in text.decode().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        words = [re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m[1], 8)]), w.encode()).decode(errors="replace")
                 for w in line.split(" ")]
        pairs = dict(w.split("=", 1) for w in words[1:] if "=" in w)
        row = {"type": MTREE_KINDS.get(pairs.get("type"), pairs.get("type"))}
        if "mode" in pairs:
            row["mode"] = int(pairs["mode"], 8)
        if pairs.get("size", "0") != "0":
            row["size"] = int(pairs["size"])
        if "time" in pairs:
            second, _, fraction = pairs["time"].partition(".")
            row["mtime"] = (int(second), int(fraction))
        for field in ("uid", "gid"):
            if field in pairs:
                row[field] = int(pairs[field])
        for field, key in (("user", "uname"), ("group", "gname"), ("target", "link")):
            if key in pairs:
                row[field] = pairs[key]
        yield words[0], row


def ask_tar(bundle):
    text = sh('tar --quoting-style=literal --full-time --numeric-owner -tvf "$1"', "/", bundle)
    for line in text.decode(errors="replace").splitlines():
        m = re.fullmatch(r"(.)(\S{9}).? (\d+)/(\d+) +(\S+) (\S+ [0-9:]+)(?:\.(\d+))? +(.*)", line)
        name, row = m[8], {"type": KINDS.get(m[1]), "mode": mode_bits(m[2]), "uid": int(m[3]), "gid": int(m[4])}
        row["mtime"] = (local(m[6], "%Y-%m-%d %H:%M:%S"), digits(m[7]) if m[7] else 0)
        if m[1] == "l":
            name, _, row["target"] = name.partition(" -> ")
        elif m[1] == "h":
            name = name.partition(" link to ")[0]
        elif m[1] == "-":
            row["size"] = int(m[5])
        yield name, row


def ask_zipinfo(bundle):
    text = sh('zipinfo -T -h "$1"; zipinfo -T "$1"', "/", bundle).decode(errors="replace")
    for line in text.splitlines():
        m = re.fullmatch(r"(\S{10}|\S{7}) +(\S+ \S+) +(\d+) \S+ \S+ (\d{8}\.\d{6}) (.*)", line)
        if not m:
            continue
        name, row = m[5].replace("^I", "\t"), {"size": int(m[3])}
        if m[4][4:8] != "0000":
            row["mtime"] = (local(m[4], "%Y%m%d.%H%M%S"), 0)
        if " unx" in m[2]:
            row["type"] = KINDS.get(m[1][0]) if m[1][0] != "?" else None
            row["mode"] = mode_bits(m[1][1:])
        if name.endswith("/"):
            row["type"] = "directory"
        if row.get("type") == "directory":
            del row["size"]
        yield name, row


def ask_7z(bundle):
    """In UTC, as it gives all times the offset from it that holds today; a DOS time comes out as it is stored."""
    text = sh('TZ=UTC 7z l -slt -sccUTF-8 "$1"', "/", bundle).decode(errors="replace").split("\n----------\n", 1)[1]
    for block in text.split("\n\n"):
        pairs = dict(line.split(" = ", 1) for line in block.splitlines() if " = " in line)
        if "Path" not in pairs:
            continue
        row = {}
        attributes = pairs.get("Attributes", "")
        unix = attributes.split(" ")[-1]
        if len(unix) == 10:
            row["type"], row["mode"] = KINDS.get(unix[0]), mode_bits(unix[1:])
        elif attributes.startswith("D") or pairs.get("Folder") == "+":
            row["type"] = "directory"
        if row.get("type") not in ("directory", "symlink") and pairs.get("Size"):
            row["size"] = int(pairs["Size"])
        if pairs.get("Modified"):
            second, _, fraction = pairs["Modified"].partition(".")
            row["mtime"] = (utc(second), digits(fraction) if fraction else 0)
        if pairs.get("Symbolic Link"):
            row["target"] = pairs["Symbolic Link"]
        yield pairs["Path"], row


def ask_cpio(bundle):
    for line in sh('cpio --quiet -itvn <"$1"', "/", bundle).decode(errors="replace").splitlines():
        m = re.fullmatch(r"(.)(\S{9}) +(\d+) (\d+) +(\d+) +(\d+|\d+, *\d+) (.{12}) (.*)", line)
        name, row = m[8], {"type": KINDS[m[1]], "mode": mode_bits(m[2]), "uid": int(m[4]), "gid": int(m[5])}
        if m[1] == "l":
            name, _, row["target"] = name.partition(" -> ")
        elif m[1] == "-" and m[3] == "1":
            row["size"] = int(m[6])
        yield name, row


def ask_sqlite3(bundle):
    targets = dict(sqlite3.connect(bundle).execute("select name, data from sqlar where sz = -1"))
    for line in sh('sqlite3 -A -tvf "$1"', "/", bundle).decode(errors="replace").splitlines():
        m = re.fullmatch(r"(.)(\S{9}) +(-?\d+)  (\S+ \S+)  (.*)", line)
        row = {"type": KINDS[m[1]], "permissions": mode_bits(m[2]), "mtime": (utc(m[4]), 0)}
        if m[1] == "-":
            row["size"] = int(m[3])
        if m[5] in targets:
            row["target"] = targets[m[5]]
        yield m[5], row


def names_only(rows):
    return ((name, {}) for name, _ in rows)


ASK = {
    "bsdtar": ask_bsdtar,
    "bsdtar-names": lambda bundle: names_only(ask_bsdtar(bundle)),
    "tar": ask_tar,
    "zipinfo": ask_zipinfo,
    "zipinfo-names": lambda bundle: names_only(ask_zipinfo(bundle)),
    "7z": ask_7z,
    "7z-names": lambda bundle: names_only(ask_7z(bundle)),
    "cpio": ask_cpio,
    "sqlite3": ask_sqlite3,
}


def ask_lsr(lsr, engine, bundle):
    done = subprocess.run([lsr, f"--io={engine}", "--no-cache", "--json", "-AR", bundle], env=ENV, capture_output=True)
    rows = {}
    for line in done.stdout.decode().splitlines():
        o = json.loads(line)
        row = {k: o[k] for k in ("type", "size", "uid", "gid", "user", "group", "target") if k in o}
        if "mode" in o:
            row["mode"] = int(o["mode"], 8)
            row["permissions"] = row["mode"] & 0o777
        if "mtime" in o:
            second, _, fraction = o["mtime"].rstrip("Z").partition(".")
            row["mtime"] = (utc(second), digits(fraction))
        row["made up"] = "implied" in o or row.get("type") == "directory" and not {"mode", "mtime"} & row.keys()
        rows[o["path"][len(bundle) + 1:]] = row
    return rows, done.returncode, done.stderr.decode(errors="replace").strip()


def same(field, theirs, ours):
    if theirs is None or ours == theirs:
        return True
    if field == "mtime":
        # Who tells whole seconds has cut the rest off.
        return theirs[0] == ours[0] and theirs[1] == 0
    return False


def differences(theirs, ours, source):
    for name in sorted(theirs.keys() | ours.keys()):
        if name not in ours:
            yield f"{name}: only {source} has it"
        elif name not in theirs:
            if not ours[name]["made up"]:
                yield f"{name}: only lsr has it"
        else:
            for field, value in theirs[name].items():
                # What the format does not keep others make up.
                if field in ours[name] and not same(field, value, ours[name][field]):
                    yield f"{name}: {field} is {value} to {source}, {ours[name][field]} to lsr"


def found_bundles():
    found = {}
    for top, dirs, files in os.walk("/usr"):
        dirs.sort()
        for name in sorted(files):
            suffix = os.path.splitext(name)[1]
            path = os.path.join(top, name)
            if suffix in (".gz", ".xz") and ".tar." not in name:
                continue
            if suffix not in FOUND_SUFFIXES or os.path.islink(path) or len(found.setdefault(suffix, [])) == FOUND_MAX:
                continue
            if 0 < os.path.getsize(path) <= FOUND_BYTES_MAX:
                found[suffix].append(path)
    return [(path, FOUND_SUFFIXES[suffix]) for suffix in sorted(found) for path in found[suffix]]


def make_bundles(top, quick):
    """(label, path, who is asked) of each bundle, made when its turn comes."""
    make_tree(top)
    sh("mkfifo -m 640 fifo", top)
    for name, suffix, pack, sources in PACKED:
        yield f"{name}{suffix}", pack, [os.path.join(top, name + suffix)], sources
    if quick:
        return
    real = next(d for d in REAL_TREES if os.path.isdir(d))
    for suffix, pack, sources in REAL_PACKED:
        yield f"{real}{suffix}", pack, [os.path.join(top, "real" + suffix), real], sources
    for path, sources in found_bundles():
        yield path, None, [path], sources


def main():
    parser = argparse.ArgumentParser(description="bundles against what other programs say of them")
    parser.add_argument("--lsr", required=True, metavar="BINARY")
    parser.add_argument("--engines", default="sync,threads,uring", metavar="LIST")
    parser.add_argument("--filter", default="", metavar="WORD")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    lsr = os.path.abspath(args.lsr)
    os.environ["TZ"] = ENV["TZ"]
    time.tzset()
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="lsr-tools-") as top:
        for label, pack, paths, sources in make_bundles(top, args.quick):
            if args.filter not in label:
                continue
            if pack:
                sh(pack, top, *paths)
            answers = {}
            for source in sources.split():
                try:
                    rows = ASK[source](paths[0])
                    answers[source] = {clean(name): row for name, row in rows if clean(name)}
                except RuntimeError as trouble:
                    if pack:
                        raise
                    # A file of the system that the other program cannot read.
                    skipped += 1
                    print(f"skip {label}: {trouble}")
            for engine in args.engines.split(",") if answers else []:
                ours, status, said = ask_lsr(lsr, engine, paths[0])
                for source, theirs in answers.items():
                    wrong = list(differences(theirs, ours, source))
                    if not theirs and (pack or ours):  # an archive that lies about may be empty
                        wrong.append(f"{source} found nothing")
                    # Some of what lies about is damaged, and still lists what the other program lists.
                    if (status != 0 or said) and (pack or status != 1):
                        wrong.append(f"exit status {status}: {said}")
                    passed += not wrong
                    failed += bool(wrong)
                    if wrong:
                        print(f"FAIL {label} [{engine}] against {source}: {len(wrong)} differences")
                        for line in wrong[:12]:
                            print("    " + line.encode("unicode_escape").decode())
            if pack:
                os.unlink(paths[0])
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
