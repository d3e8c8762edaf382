"""zoo - files with every kind of metadata, and what a bundle keeps of it

For each property there are entries that have it; a tool keeps the property if all of them come
back with it.  Each kind of entry is in a bundle of its own: some tools stop at the first
entry that they cannot store, which would hide the results of the others.
"""
import os
import shutil
import stat
import subprocess

import lib

OLD_NS = 1_000_000_000 * 1_234_567_890 + 123_456_789
NAMES = {"long": b"n" * 200, "bytes": b"\xff\xfe not UTF-8", "newline": b"line\nbreak", "space": b" leading and trailing "}
DEEP = os.path.join(*["d" * 60] * 6, "file")

# tool: (pack, unpack); in a directory that holds zoo/, and out/ where zoo/ is to come back
TOOLS = {
    "tar": ("tar -cf z zoo", "tar -xpf z -C out"),
    "tar, all options": ("tar --format=posix --xattrs --acls -S -cf z zoo", "tar --xattrs --xattrs-include='*' --acls -xpf z -C out"),
    "bsdtar": ("bsdtar -cf z zoo", "bsdtar -xpf z -C out"),
    "zip -r -y": ("zip -q -r -y z.zip zoo", "unzip -q -X -K z.zip -d out"),
    "7z": ("7z a -bd -bso0 -snl z.7z zoo", "7z x -bd -bso0 -oout z.7z"),
    "sqlite3 -A": ("sqlite3 -A -cf z zoo", "sqlite3 -A -xf z -C out"),
    "dar": ("dar -Q -q -c z -g zoo", "dar -Q -q -x z -R out"),
    "lsr LSR1": ("{lsr} --pack zoo --output=z.tar.zst", "{lsr} --unpack z.tar.zst --output=out"),
    "LSR1 through tar, all options": ("{lsr} --pack zoo --output=z.tar.zst",
                                      "tar --zstd --xattrs --xattrs-include='*' --acls -xpf z.tar.zst -C out"),
    "lsr .tar.gz": ("{lsr} --pack zoo --output=z.tar.gz", "{lsr} --unpack z.tar.gz --output=out"),
    "lsr .zip": ("{lsr} --pack zoo --output=z.zip", "{lsr} --unpack z.zip --output=out"),
    "lsr .sqlar": ("{lsr} --pack zoo --output=z.sqlar", "{lsr} --unpack z.sqlar --output=out"),
}


def set_acl(*words):
    subprocess.run(["setfacl", *words], check=True, capture_output=True)


def make(top):
    """A directory of each kind; returns what could not be made."""
    lacking = []

    def put(name, content=b"content\n", mode=0o644):
        path = os.path.join(top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def attempt(what, function, *args):
        try:
            function(*args)
        except (OSError, subprocess.CalledProcessError):
            lacking.append(what)
    top = os.fsencode(top)
    deep = DEEP.encode()
    put(b"plain/text", b"some text\n" * 100)
    put(b"plain/empty", b"")
    put(b"plain/binary", os.urandom(70_000))
    put(b"modes/private", mode=0o600)
    put(b"modes/run", mode=0o755)
    put(b"modes/setuid", mode=0o4755)
    os.makedirs(top + b"/modes/sticky")
    os.chmod(top + b"/modes/sticky", 0o1777)
    os.link(put(b"links/one"), top + b"/links/two")
    os.symlink("one", top + b"/links/symbolic")
    os.symlink("nowhere", top + b"/links/dangling")
    sparse = put(b"sparse/holes", b"begin")
    os.truncate(sparse, 16 << 20)
    with open(sparse, "r+b") as file:
        file.seek(8 << 20)
        file.write(b"middle")
    for name in NAMES.values():
        put(b"names/" + name)
    put(b"deep/" + deep)
    put(b"dirs/below/file")
    for kind in (b"/fifo", b"/device"):
        os.mkdir(top + kind)
    os.mkfifo(top + b"/fifo/fifo")
    attempt("devices", os.mknod, top + b"/device/null", stat.S_IFCHR | 0o600, os.makedev(1, 3))
    attempt("extended attributes", os.setxattr, put(b"xattrs/file"), b"user.colour", b"blue\0green")
    acl = put(b"acls/file")
    os.makedirs(top + b"/acls/default")
    attempt("access control lists", set_acl, "-m", "u:12345:rw", acl)
    attempt("access control lists", set_acl, "-d", "-m", "g:23456:rx", top + b"/acls/default")
    attempt("owners", os.chown, put(b"owners/file"), 12345, 23456)
    for at, _, files in os.walk(top, topdown=False):
        for name in files:
            os.utime(os.path.join(at, name), ns=(OLD_NS, OLD_NS), follow_symlinks=False)
        os.utime(at, ns=(OLD_NS, OLD_NS))
    return sorted(set(lacking))


def both(check):
    """A check of one path, true if it holds of all; a path that is gone fails."""
    def all_of(source, copy, names):
        try:
            return all(check(os.path.join(os.fsencode(source), n), os.path.join(os.fsencode(copy), n)) for n in names)
        except OSError:
            return False
    return all_of


def content(a, b):
    with open(a, "rb") as x, open(b, "rb") as y:
        return x.read() == y.read()


def same(field):
    return both(lambda a, b: getattr(os.lstat(a), field) == getattr(os.lstat(b), field))


def seconds(a, b):
    """Zip's times have a step of two seconds, its extra fields one."""
    return int(os.lstat(a).st_mtime) == int(os.lstat(b).st_mtime)


def hard_linked(a, b):
    return os.path.samefile(b, os.path.join(os.path.dirname(b), b"one"))


def xattrs(a, b):
    def all_of(p):
        return {n: os.getxattr(p, n, follow_symlinks=False) for n in os.listxattr(p, follow_symlinks=False)}
    return all_of(a) == all_of(b)


def holes(a, b):
    return content(a, b) and os.lstat(b).st_blocks * 512 < 1 << 20


def device(a, b):
    return os.lstat(a).st_rdev == os.lstat(b).st_rdev and stat.S_ISCHR(os.lstat(b).st_mode)


PLAIN = [b"plain/text", b"plain/empty", b"plain/binary"]
PROPERTIES = {
    "content": (both(content), PLAIN),
    "modes": (same("st_mode"), [b"modes/private", b"modes/run"]),
    "setuid, sticky": (same("st_mode"), [b"modes/setuid", b"modes/sticky"]),
    "owners": (both(lambda a, b: [os.lstat(a).st_uid, os.lstat(a).st_gid] == [os.lstat(b).st_uid, os.lstat(b).st_gid]), [b"owners/file"]),
    "times, s": (both(seconds), PLAIN),
    "times, ns": (same("st_mtime_ns"), PLAIN),
    "of directories": (same("st_mtime_ns"), [b"dirs/below"]),
    "of symlinks": (same("st_mtime_ns"), [b"links/symbolic"]),
    "symlinks": (both(lambda a, b: os.readlink(a) == os.readlink(b)), [b"links/symbolic", b"links/dangling"]),
    "hard links": (both(hard_linked), [b"links/two"]),
    "xattrs": (both(xattrs), [b"xattrs/file"]),
    "ACLs": (both(xattrs), [b"acls/file", b"acls/default"]),
    "holes": (both(holes), [b"sparse/holes"]),
    "fifo": (both(lambda a, b: stat.S_ISFIFO(os.lstat(b).st_mode)), [b"fifo/fifo"]),
    "device": (both(device), [b"device/null"]),
    "names": (both(content), [b"names/" + n for n in NAMES.values()]),
    "deep path": (both(content), [b"deep/" + DEEP.encode()]),
}


def there_and_back(commands, kind, place, env):
    """Pack place/zoo and unpack it into place/out; the exit statuses that are not 0, in words."""
    shutil.rmtree(place / "out", ignore_errors=True)
    for old in [*place.glob("z.*"), place / "z"]:
        old.unlink(missing_ok=True)
    (place / "out").mkdir()
    said = []
    for command, what in zip(commands, ("packing", "unpacking")):
        done = subprocess.run(["bash", "-c", command], cwd=place, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        if done.returncode != 0:
            said.append(f"{kind}: {done.returncode} {what}")
    return said


def measure(job, env):
    """(rows, words on who measured and what could not be made here)"""
    place = job.scratch / "zoo"
    lacking = make(place / "kinds")
    kinds = sorted(p.name for p in (place / "kinds").iterdir())
    rows = []
    for tool, commands in TOOLS.items():
        commands = [c.format(lsr=job.lsr) for c in commands]
        if not commands[0].startswith("/") and lib.find_peer(commands[0].split()[0]) is None:
            continue
        job.commands += commands
        row, said = {"tool": tool}, []
        copies = {}
        for kind in kinds:
            os.rename(place / "kinds" / kind, place / "zoo")
            said += there_and_back(commands, kind, place, env)
            copies[kind] = place / "copies" / kind
            copies[kind].parent.mkdir(exist_ok=True)
            os.rename(place / "zoo", place / "kinds" / kind)
            if (place / "out" / "zoo").exists():
                os.rename(place / "out" / "zoo", copies[kind])
        for name, (check, paths) in PROPERTIES.items():
            row[name] = "yes" if check(place / "kinds", place / "copies", paths) else "no"
        shutil.rmtree(place / "copies")
        rows.append({**row, "exit statuses": "; ".join(said) or "0"})
    user = "as root" if os.geteuid() == 0 else "not as root, so without owners"
    return rows, f"({user}" + (f"; not to be had here: {', '.join(lacking)}" if lacking else "") + ")"


def table(rows):
    return lib.table(list(rows[0]), [list(r.values()) for r in rows])
