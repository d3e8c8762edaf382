#!/usr/bin/env python3
"""diff-json - lsr --json against what Python's own modules say of the same files

    tests/diff/diff-json.py --lsr BINARY [--engines LIST] [--rounds N] [--seed S] [--quick]

Directories are read again by os.scandir and statx(2), owners by pwd and grp, links
by os.readlink; tars and zips by tarfile and zipfile.  From that the objects are
made that lsr must print, in their order and with these keys and no others.

Each object must also be one of docs/lsr.schema.json, of which the few words that it uses
are understood here.  The keys are those of the man page and of the schema, which must name
them all, and in the end each must have been seen.
"""
import base64
import calendar
import collections
import contextlib
import ctypes
import functools
import grp
import io
import json
import os
import pwd
import random
import re
import sqlite3
import stat
import sys
import tarfile
import time
import zipfile

from oracle import Oracle
from randomtree import Tree

KEYS = set("""path name name_b64 type mode perm nlink uid user gid group size blocks mtime atime ctime btime inode dev rdev target
              git bundle packed ratio method offset encrypted implied raw_name raw_name_b64 error children
              rows note""".split())
COLUMNS = {"inode": {"inode"}, "blocks": {"blocks"}, "mode": {"mode", "perm"}, "octal": {"mode", "perm"}, "links": {"nlink"},
           "user": {"uid", "user"}, "group": {"gid", "group"}, "author": set(), "context": set(), "size": {"size"}, "modified": {"mtime"},
           "accessed": {"atime"}, "changed": {"ctime"}, "created": {"btime"}, "age": {"mtime"}, "git": set(), "packed": set(), "ratio": set(), "method": set(),
           "offset": set()}
ALWAYS = {"path", "name", "name_b64", "type", "error"}
TYPES = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "symlink", stat.S_IFCHR: "char-device",
         stat.S_IFBLK: "block-device", stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket"}
seen = set()

# ---- the schema -------------------------------------------------------------------

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/lsr.schema.json"), encoding="utf-8") as schema:
    SCHEMA = json.load(schema)
KINDS = {"string": str, "integer": int, "array": list}
RULES = {
    "$ref": lambda value, name: not against_schema(value) if name == "#"
                                else not broken(value, SCHEMA["$defs"][name.removeprefix("#/$defs/")]),
    "items": lambda value, rules: not any(broken(item, rules) for item in value),
    "type": lambda value, kind: type(value) is KINDS[kind],
    "enum": lambda value, values: value in values,
    "const": lambda value, other: value is other,
    "pattern": lambda value, pattern: re.search(pattern, value),
    "minimum": lambda value, least: value >= least,
    "maximum": lambda value, most: value <= most,
    "description": lambda value, text: True,
}


def broken(value, rules):
    """The words of @rules that @value breaks; a word that is not known here is an error."""
    return [word for word, meaning in rules.items() if not RULES[word](value, meaning)]


def against_schema(got):
    """What is wrong with an object of lsr's."""
    wrong = {key: broken(value, SCHEMA["properties"][key]) for key, value in got.items() if key in SCHEMA["properties"]}
    wrong.update((key, ["additionalProperties"]) for key in got.keys() - SCHEMA["properties"].keys())
    wrong.update((key, ["required"]) for key in SCHEMA["required"] if key not in got)
    return {key: words for key, words in wrong.items() if words}


# ---- what any object has --------------------------------------------------------


def text(data):
    """Bytes as JSON has them: what is not UTF-8 is U+FFFD, byte by byte."""
    return "".join("\ufffd" if "\udc80" <= c <= "\udcff" else c for c in data.decode("utf-8", "surrogateescape"))


def named(key, data):
    shown = text(data)
    valid = shown.encode() == data
    return {key: shown} if valid else {key: shown, key + "_b64": base64.b64encode(data).decode()}


def date(ns):
    seconds, rest = divmod(ns, 10**9)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{rest:09d}Z"


@functools.cache
def owner(uid):
    """An id, and its name if there is one."""
    try:
        return {"uid": uid, "user": pwd.getpwuid(uid).pw_name}
    except KeyError:
        return {"uid": uid}


@functools.cache
def group(gid):
    try:
        return {"gid": gid, "group": grp.getgrgid(gid).gr_name}
    except KeyError:
        return {"gid": gid}


def mode_keys(mode):
    return {"type": TYPES[stat.S_IFMT(mode)], "mode": f"{stat.S_IMODE(mode):04o}", "perm": stat.filemode(mode)}


# ---- directories ----------------------------------------------------------------

LIBC = ctypes.CDLL(None, use_errno=True)
STATX_BTIME, AT_FDCWD, AT_SYMLINK_NOFOLLOW = 0x800, -100, 0x100


def born(path, follow):
    """The time of birth in nanoseconds, which os.lstat does not have; None if the file system does not."""
    buffer = ctypes.create_string_buffer(256)
    if LIBC.statx(AT_FDCWD, path, 0 if follow else AT_SYMLINK_NOFOLLOW, STATX_BTIME, buffer) != 0:
        raise OSError(ctypes.get_errno(), path)
    number = lambda at, n, signed: int.from_bytes(buffer.raw[at:at + n], sys.byteorder, signed=signed)
    return number(80, 8, True) * 10**9 + number(88, 4, False) if number(0, 4, False) & STATX_BTIME else None


def of_file(path, shown, name, follow=False, numeric=False):
    """The object of a file, of which lsr shows the path @shown."""
    result = {"path": text(shown), **named("name", name)}
    try:
        st = os.stat(path, follow_symlinks=follow)
    except FileNotFoundError as e:
        return {**result, "type": "symlink", "error": os.strerror(e.errno)}
    result.update(mode_keys(st.st_mode))
    result.update(**owner(st.st_uid), **group(st.st_gid), nlink=st.st_nlink, size=st.st_size, blocks=st.st_blocks, inode=st.st_ino,
                  mtime=date(st.st_mtime_ns), atime=date(st.st_atime_ns), ctime=date(st.st_ctime_ns),
                  dev=f"{os.major(st.st_dev)}:{os.minor(st.st_dev)}")
    if numeric:
        result.pop("user", None)
        result.pop("group", None)
    if stat.S_ISCHR(st.st_mode) or stat.S_ISBLK(st.st_mode):
        result["rdev"] = f"{os.major(st.st_rdev)}:{os.minor(st.st_rdev)}"
    if stat.S_ISLNK(st.st_mode):
        result["target"] = text(os.readlink(path))
    birth = born(path, follow)
    if birth is not None:
        result["btime"] = date(birth)
    return result


def of_directory(path, shown, deep, hidden, **how):
    """Those in a directory, and, if deep, those in each directory below, in the order of ls -R."""
    names = sorted(name for name in os.listdir(path) if hidden or not name.startswith(b"."))
    result = [of_file(path + b"/" + name, shown + b"/" + name, name, **how) for name in names]
    for name in names if deep else ():
        below = path + b"/" + name
        if os.path.isdir(below) and not os.path.islink(below):
            result += of_directory(below, shown + b"/" + name, deep, hidden, **how)
    return result


# ---- comparing --------------------------------------------------------------------


def once(pairs):
    """An object, in which no key comes twice."""
    result = dict(pairs)
    if len(result) < len(pairs):
        result["(twice)"] = sorted(key for key, _ in pairs)
    return result


def objects(out):
    """What lsr printed; lines that are none stay as they are."""
    result = []
    for line in out.split(b"\n")[:-1]:
        try:
            result.append(json.loads(line, object_pairs_hook=once))
        except ValueError:
            result.append(line.decode("utf-8", "backslashreplace"))
    return result


def flattened(trees):
    """What is below the operands of a tree, by path; a directory, and nothing else, has children."""
    result = []
    for tree in trees:
        seen.update(tree)
        wrong = against_schema(tree)
        if wrong or ("children" in tree) != (tree["type"] == "directory"):
            result.append({"path": tree["path"], "(against the schema)": wrong})
        for child in tree.pop("children", ()):
            result += flattened([child]) + [child]
    return by_path(result)


def by_path(objects_):
    return sorted(objects_, key=lambda o: (o["path"], o.get("name_b64", "")))


def compare(oracle, label, want, have):
    """Object by object.  Listing a directory and reading a link may have changed when that was read last."""
    lately = [date(time.time_ns() + by) for by in (-60 * 10**9, 10**9)]
    for expected, got in zip(want, have):
        if isinstance(got, dict):
            seen.update(got)
            wrong = against_schema(got)
            if wrong:
                got["(against the schema)"] = wrong
            if got.get("type") in ("directory", "symlink") and lately[0] < got.get("atime", "") < lately[1]:
                expected.update(atime=got["atime"])
    dump = lambda list_: [json.dumps(o, sort_keys=True, ensure_ascii=True) for o in list_]
    oracle.check(label, dump(want), dump(have))


def only(wanted, columns):
    keys = ALWAYS.union(*(COLUMNS[c] for c in columns))
    return [{k: v for k, v in o.items() if k in keys} for o in wanted]


def directories(oracle, rng, tree, seed, place):
    root = tree.root
    columns = rng.sample(sorted(COLUMNS), 4)
    some = sorted(rng.sample(tree.dirs + tree.files + tree.links, 3) if tree.files and tree.links else tree.dirs)
    plain = [(["-A"], lambda: of_directory(root, b"t", False, True)),
             ([], lambda: of_directory(root, b"t", False, False)),
             (["-A", "-R"], lambda: of_directory(root, b"t", True, True)),
             (["-R"], lambda: of_directory(root, b"t", True, False)),
             (["-A", "-n"], lambda: of_directory(root, b"t", False, True, numeric=True)),
             (["-A", "-R", "--columns=" + ",".join(columns)], lambda: only(of_directory(root, b"t", True, True), columns))]
    for engine in oracle.engines:
        for options, expected in plain:
            want = expected()
            have = objects(oracle.ask(engine, ["--json", *options, "t"], place))
            compare(oracle, f"seed {seed} {engine}: lsr --json {' '.join(options)}", want, have)
        want = by_path(of_directory(root, b"t", True, True))
        have = flattened(objects(oracle.ask(engine, ["--json", "-A", "--tree", "t"], place)))
        compare(oracle, f"seed {seed} {engine}: lsr --json -A --tree", want, have)
        # Links that are followed; those to nothing are errors.
        want = of_directory(root, b"t", False, True, follow=True)
        have = objects(oracle.run([oracle.lsr, "--json", "-A", "-L", "t"], place, LSR_IO=engine)[1])
        compare(oracle, f"seed {seed} {engine}: lsr --json -A -L", want, have)
        expected = lambda: [of_file(path, path, path[path.rindex(b"/") + 1:]) for path in some]
        want = expected()
        have = objects(oracle.ask(engine, ["--json", "-d", *some], place))
        compare(oracle, f"seed {seed} {engine}: lsr --json -d of operands", want, have)


def marks(oracle, seed, tree, place):
    """The mark behind the mode of -l --acl against os.listxattr."""
    acl = b"\x02\0\0\0" + b"".join(n.to_bytes(2, "little") + b"\x06\0" + i.to_bytes(4, "little") for n, i in
                                   ((1, 2**32 - 1), (2, 1), (4, 2**32 - 1), (16, 2**32 - 1), (32, 2**32 - 1)))
    for i, path in enumerate(tree.files[:12]):
        try:
            os.setxattr(path, *[("user.note", b"x"), ("system.posix_acl_access", acl)][i % 2])
        except OSError:
            return                      # not on this file system
    for directory in tree.dirs[:2]:
        names = sorted(os.listdir(directory))
        has = {name: any(x.startswith("system.posix_acl_") for x in os.listxattr(directory + b"/" + name, follow_symlinks=False))
               for name in names}
        some = any(has.values())
        want = b"".join(stat.filemode(os.lstat(directory + b"/" + name).st_mode).encode() + (b"+" if has[name] else b" " if some else b"")
                        + b" " + name + b"\0" for name in names)
        for engine in oracle.engines:
            have = oracle.ask(engine, ["-A", "--acl", "--columns=mode", "--zero", os.path.relpath(directory, os.fsencode(place))], place)
            have = re.sub(rb"^total [0-9]+\0", b"", have)
            oracle.check(f"seed {seed} {engine}: lsr -A --acl --columns=mode of {directory}", want, have)


# ---- bundles --------------------------------------------------------------------


class Members:
    """What a reader of bundles tells, as lsr shows it: by path, the last one of a name counts."""

    def __init__(self, bundle):
        self.bundle, self.objects, self.below = bundle, {}, {b"": {}}

    def add(self, path, raw, **keys):
        parent, _, name = path.rpartition(b"/")
        if parent not in self.below:
            self.add(parent, None, type="directory", implied=True)
        self.objects[path] = {"path": text(self.bundle + b"/" + path), **named("name", name), "bundle": text(self.bundle), **keys}
        if raw is not None and raw.removeprefix(b"./").removesuffix(b"/") != path:
            self.objects[path].update(named("raw_name", raw))
        self.below[parent][name] = path
        if keys["type"] == "directory":
            self.below.setdefault(path, {})

    def listing(self, parent=b""):
        """In the order of ls -R."""
        paths = [path for _, path in sorted(self.below[parent].items())]
        return [self.objects[path] for path in paths] + [o for path in paths if path in self.below for o in self.listing(path)]

    def newest(self, path):
        """The newest time of what is below; dates of one form are ordered as text."""
        below = self.below[path].values()
        return max([self.objects[b].get("mtime", "") for b in below if "implied" not in self.objects[b]] +
                   [self.newest(b) for b in below if b in self.below], default="")

    def imply(self):
        """Directories that are not stored, as unpacking makes them."""
        mask = os.umask(0)
        os.umask(mask)
        for path, object_ in self.objects.items():
            if "implied" in object_:
                object_.update(mode_keys(stat.S_IFDIR | 0o777 & ~mask), **({"mtime": self.newest(path)} if self.newest(path) else {}))

    def count_links(self):
        for path, object_ in self.objects.items():
            if path in self.below:
                object_["nlink"] = 2 + sum(child in self.below for child in self.below[path].values())


def blocks(size):
    return -(-size // 512)


def of_tar(path, shown):
    """The members of a tar, read by tarfile.  A hard link is what it leads to."""
    members = Members(shown)
    kinds = {tarfile.DIRTYPE: stat.S_IFDIR, tarfile.SYMTYPE: stat.S_IFLNK, tarfile.FIFOTYPE: stat.S_IFIFO,
             tarfile.CHRTYPE: stat.S_IFCHR, tarfile.BLKTYPE: stat.S_IFBLK}
    with tarfile.open(path, errors="surrogateescape") as tar:
        stored = {os.fsencode(m.name): m for m in tar.getmembers()}
        links = {}
        for name, m in stored.items():
            if m.islnk() and os.fsencode(m.linkname) in stored:
                links.setdefault(os.fsencode(m.linkname), []).append(name)
        for name, m in stored.items():
            keys, of = {}, m
            if m.islnk():
                of = stored.get(os.fsencode(m.linkname))
                if of is None:
                    keys["error"] = "hard link to a member that is not there"
                    of = m
            mode = kinds.get(of.type, stat.S_IFREG) | of.mode
            size = len(os.fsencode(of.linkname)) if of.issym() else of.size
            keys.update(mode_keys(mode), **owner(of.uid), **group(of.gid), mtime=date(stamp(of)), packed=m.size if m.isreg() else 0,
                        size=size, blocks=blocks(size), nlink=1 + len(links.get(os.fsencode(of.name), [])))
            keys.update({key: value for key, value in (("user", of.uname), ("group", of.gname)) if value})
            if of.issym():
                keys["target"] = text(os.fsencode(of.linkname))
            if of.ischr() or of.isblk():
                keys["rdev"] = f"{of.devmajor}:{of.devminor}"
            members.add(b"/".join(part for part in name.split(b"/") if part not in (b"", b".", b"..")), name, **keys)
    members.count_links()
    members.imply()
    return members.listing()


def stamp(member):
    """The time of a member in nanoseconds; as a number tarfile has it rounded."""
    seconds, _, rest = member.pax_headers.get("mtime", str(int(member.mtime))).partition(".")
    rest = int((rest + "0" * 9)[:9])
    return int(seconds) * 10**9 + (-rest if seconds.startswith("-") else rest)


def of_zip(path, shown):
    """The members of a zip, read by zipfile."""
    members = Members(shown)
    methods = {zipfile.ZIP_STORED: "store", zipfile.ZIP_DEFLATED: "deflate", zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "lzma"}
    with zipfile.ZipFile(path) as archive:
        for m in archive.infolist():
            mode = m.external_attr >> 16
            keys = {**mode_keys(mode), "size": m.file_size, "blocks": blocks(m.file_size), "packed": m.compress_size, "nlink": 1,
                    "mtime": date(calendar.timegm(m.date_time) * 10**9)}
            if not m.is_dir():
                keys["method"] = methods[m.compress_type]
            if stat.S_ISLNK(mode):
                keys["target"] = text(archive.read(m))
            if m.flag_bits & 1:
                keys["encrypted"] = True
            members.add(m.filename.rstrip("/").encode(), m.filename.encode(), **keys)
    members.count_links()
    members.imply()
    return members.listing()


def write_tar(path, tree, rng):
    """All of the tree but sockets, and a hard link to nothing."""
    with tarfile.open(path, "w:gz" if path.endswith(".gz") else "w", format=tarfile.PAX_FORMAT, errors="surrogateescape") as tar:
        tar.add(os.fsdecode(tree.root), "t", filter=lambda m: None if stat.S_ISSOCK(m.mode) else m)
        lost = tarfile.TarInfo("t/lost")
        lost.type, lost.linkname, lost.mtime = tarfile.LNKTYPE, "t/nowhere", rng.randrange(2**33)
        tar.addfile(lost)
        implied = tarfile.TarInfo("not/stored/file")
        implied.size, implied.uid, implied.gname = 3, 77, "staff of it"
        tar.addfile(implied, io.BytesIO(b"abc"))
        for name in ("../up", "/from//root", "./dot", "../of/\udcff"):
            tar.addfile(tarfile.TarInfo(name))


def write_zip(path, tree, rng):
    """Files, links and directories whose names are text."""
    with zipfile.ZipFile(path, "w") as archive:
        for full in sorted(tree.dirs[1:] + tree.files + tree.links):
            name = os.path.relpath(full, tree.root)
            try:
                name = name.decode()
            except UnicodeDecodeError:
                continue
            mode = os.lstat(full).st_mode
            info = zipfile.ZipInfo(name + "/" * stat.S_ISDIR(mode), (rng.randrange(1980, 2108), 2, 3, 4, 5, 2 * rng.randrange(30)))
            info.external_attr, info.create_system = mode << 16, 3
            info.compress_type = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
            if stat.S_ISDIR(mode):
                info.compress_type = zipfile.ZIP_STORED
                archive.writestr(info, b"")
            elif stat.S_ISLNK(mode):
                info.compress_type = zipfile.ZIP_STORED
                archive.writestr(info, os.readlink(full))
            else:
                with open(full, "rb") as file:
                    archive.writestr(info, file.read())


def bundles(oracle, rng, tree, seed, place):
    written = [("b.tar", write_tar, of_tar), ("b.tar.gz", write_tar, of_tar), ("b.zip", write_zip, of_zip)]
    for name, write, read in written:
        path = os.path.join(place, name)
        write(path, tree, rng)
        if name == "b.zip" and tree.files:
            # Only Info-ZIP encrypts.
            oracle.run(["zip", "-q", "-j", "-X", "-P", "secret", path, "/etc/passwd"], place)
        want = read(path, name.encode())
        for engine in oracle.engines:
            have = objects(oracle.ask(engine, ["--json", "-A", "-R", name + "/"], place))
            compare(oracle, f"seed {seed} {engine}: lsr --json -A -R {name}", want, counted(have))
            have = flattened(objects(oracle.ask(engine, ["--json", "-A", "--tree", name + "/"], place)))
            compare(oracle, f"seed {seed} {engine}: lsr --json -A --tree {name}", by_path(want), counted(have))
            have = objects(oracle.ask(engine, ["--json", "-AR", "--columns=ratio,offset,size,packed", name + "/"], place))
            compare(oracle, f"seed {seed} {engine}: lsr --json --columns=ratio,offset {name}", placed(path, want), have)


def placed(path, want):
    """Sizes, and where members begin: the last one of a name counts."""
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            offsets = {m.filename.rstrip("/"): m.header_offset for m in archive.infolist()}
    else:
        with tarfile.open(path, errors="surrogateescape") as tar:
            offsets = {re.sub("^/|[.][.]/|[.]/", "", m.name.replace("//", "/")): m.offset for m in tar.getmembers()}
    offsets = {text(os.fsencode(os.path.basename(path) + "/" + name)): offset for name, offset in offsets.items()}
    result = []
    for o in want:
        o = {k: v for k, v in o.items() if k in ALWAYS | {"size", "packed", "implied"}}
        o.pop("error", None)
        if "implied" not in o:
            o["offset"] = offsets[o["path"]]
            if o["type"] == "file" and o["size"]:
                o["ratio"] = int(o["packed"] * 100 / o["size"] + 0.5)
        o.pop("implied", None)
        result.append(o)
    return result


def counted(have):
    """Rows are numbered, each with a number of its own, which hard links share; which it is is not said."""
    numbers = collections.Counter(o["inode"] for o in have if isinstance(o, dict))
    for o in have:
        if isinstance(o, dict):
            number, links = o.pop("inode"), 1 if o["type"] == "directory" else o["nlink"]
            if number < 1 or numbers[number] != links:
                o["(inode)"] = f"{number}, {numbers[number]} times"
    return have


# ---- the man page -----------------------------------------------------------------


def man_page(oracle):
    """Its list of keys is ours."""
    page = os.path.join(os.path.dirname(oracle.lsr), "docs", "lsr.1")
    with open(page, encoding="utf-8") as file:
        section = re.search(r"\.SH JSON FIELDS\n(.*?)\.SH", file.read(), re.S)[1]
    words = re.findall(r"^\.B (.*)$", section, re.M)
    oracle.check("the man page lists these keys", sorted(KEYS), sorted(" ".join(words).split()))
    oracle.check("the schema lists these keys", sorted(KEYS), sorted(SCHEMA["properties"]))


def in_work_tree(oracle, seed, tree, place):
    """With --git alone an object has letters; diff-git.py looks at which."""
    oracle.run(["git", "init", "-q", "t"], place)
    path = next((path for path in tree.files if path.count(b"/") == tree.root.count(b"/") + 1), None)
    for engine in oracle.engines if path else ():
        want = {**of_file(path, os.path.relpath(path, os.fsencode(place)), os.path.basename(path)), "git": "??"}
        have = objects(oracle.ask(engine, ["--json", "--git", "-d", "--", os.path.relpath(path, os.fsencode(place))], place))
        compare(oracle, f"seed {seed} {engine}: lsr --json --git", [want], have)


def database(oracle, seed, place):
    """A table says how many rows it has; a row, also one that is not UTF-8, how it begins."""
    path = os.path.join(place, "d.db")
    if not os.path.exists(path):
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript("CREATE TABLE t(x); INSERT INTO t VALUES('one'), (CAST(x'ff' AS text));")
    for engine in oracle.engines:
        have = objects(oracle.ask(engine, ["--json", "-R", "d.db/", "d.db/t"], place))
        for o in have:
            seen.update(o)
            oracle.check(f"seed {seed} {engine}: {o['path']} against the schema", [], [against_schema(o)] if against_schema(o) else [])
        said = {(o["path"], o.get("rows"), o.get("note")) for o in have}
        wanted = [("d.db/t", 2, "2 rows"), ("d.db/t/1", None, "one"), ("d.db/t/2", None, "<no UTF-8>")]
        oracle.check(f"seed {seed} {engine}: a table and its rows", [], [w for w in wanted if w not in said])


def one(oracle, seed, place):
    rng = random.Random(seed)
    tree = Tree(rng, os.path.join(place, "t"), 200 if seed == 1 else rng.choice([1, 30, 90]), crowd=400 if seed == 1 else 0)
    directories(oracle, rng, tree, seed, place)
    bundles(oracle, rng, tree, seed, place)
    marks(oracle, seed, tree, place)
    in_work_tree(oracle, seed, tree, place)
    database(oracle, seed, place)


if __name__ == "__main__":
    o = Oracle("lsr --json against Python's own modules", 8, 2)
    man_page(o)
    sys.exit(o.main(lambda seed, place: one(o, seed, place), lambda: o.check("every key was seen", sorted(KEYS), sorted(seen & KEYS))))
