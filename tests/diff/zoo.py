#!/usr/bin/env python3
"""zoo - a directory tree with one of everything that ls can meet

    zoo.py DIR [TMPFS_DIR]      build it (as root)

DIR is an ordinary file system, TMPFS_DIR a tmpfs: only that takes sizes up to
8 EiB - 1 and times before 1901, so these live there, behind the link DIR/huge.

Everything is the same on each build but for inode numbers, change and birth
times, and the files in near/, whose times are relative to now: ls prints
recent times otherwise than old ones, and the border moves.

Listing a directory or reading a link must not change what the next listing
shows.  The last step therefore sets their access times into the far future,
where relatime leaves them alone.
"""
import os
import stat
import subprocess
import sys
import time

SIX_MONTHS_S = 31556952 // 2        # the border that ls uses
FUTURE_NS = 4102444800 * 10**9 + 123456789      # 2100-01-01
T0_NS = 1700000000 * 10**9          # the ordinary time of the zoo
NOBODY = 65534

# Names to trip quoting, columns, colours and terminals.  Bytes, not text.
NAMES = [
    b"plain", b"with space", b" leading", b"trailing ", b"two  spaces",
    b"single'quote", b'double"quote', b"both'\"quotes", b"''", b"'",
    b"back\\slash", b"back\\\\two", b"ends\\", b"new\nline", b"\nfirst", b"tab\there",
    b"cr\rhere", b"bell\a", b"bs\b", b"ff\f", b"vt\v", b"esc\x1b[31mred\x1b[0m",
    b"del\x7f", b"ctl\x01\x02\x1f", b"-dash", b"--", b"-l", b"~", b"~root", b"a~b",
    b"#hash", b"a#b", b"{", b"}", b"{}", b"{a", b"a{b", b"=", b"a=b", b"=a", b"*",
    b"?", b"[a]", b"]", b"^caret", b"!bang", b"a!b", b"$dollar", b"`tick`", b"a&b",
    b"a;b", b"a|b", b"a<b", b"a>b", b"(paren)", b"a,b", b"a:b", b"%41", b"a%b", b"+plus",
    b"@at", b"???", b"0", b"a'\nb", b"\n'", b"'\t'", b"\\n", b"a\x00"[:1] + b"\\0",
    "é".encode(), "e\u0301".encode(), "ÄÖÜß".encode(), "naïve café".encode(),
    "日本語".encode(), "日本 語'q".encode(), "한국어".encode(), "ﾊﾝｶｸ".encode(),
    "\U0001f600".encode(), "\U0001f468\u200d\U0001f469\u200d\U0001f467".encode(),
    "zero\u200bwidth".encode(), "bidi\u202eevil.txt".encode(), "iso\u2066late\u2069".encode(),
    "nbsp\u00a0x".encode(), "ls\u2028sep".encode(), "c1\u0085nel".encode(), "bom\ufeffx".encode(),
    "quote\u2018\u2019".encode(), "\u202ert'l".encode(), "שלום".encode(), "عربي".encode(),
    "ひらがな\u3099".encode(), "priv\ue000".encode(), "noncharacter\uffff".encode(),
    b"latin1-\xe9", b"\xff\xfe", b"\xe9'x", b"trunc\xe6\x97", b"over\xc0\xaf", b"sur\xed\xa0\x80",
    b"\xf4\x90\x80\x80big", b"mix\xe9 \xc3\xa9", b"\xa0", b"bad\x80\ntail",
    b"backup~", b".hidden~", b"a.txt~", b".hidden", b"..two", b"...", b".a b", b".'q",
    b"x" * 255, b"y" * 253 + b" '", "ü".encode() * 127, ("字" * 85).encode(),
    b"UPPER", b"upper", b"Upper", b"_under", b"a", b"A", b"b", b"B", b"Z", b"z",
]

VERSIONS = [
    b"a", b"a1", b"a2", b"a10", b"a01", b"a001", b"a1~", b"a1.0", b"a1.0~", b"a1.0.1", b".a1",
    b".a10", b".a2", b".a", b"..a1", b"a-1", b"a_1", b"a 1", b"a1b", b"a1b2", b"a1b10", b"a0",
    b"a00", b"a1.txt", b"a2.txt", b"a10.txt", b"a01.txt", b"a1.tar.gz", b"a10.tar.gz",
    b"a2.tar.gz", b"a2.tar.gz~", b"a1.7z", b"a1.c", b"a1.c.~1~", b"a1.c.~10~", b"a1.c.~2~",
    b"linux-5.9", b"linux-5.10", b"linux-5.10-rc1", b"linux-5.10-rc10", b"linux-5.10-rc2",
    b"linux-5.10.tar.xz", b"linux-5.9.tar.xz", b"v1", b"V1", b"v1.", b"v1..2", b"v1.02", b"v1.2",
    b"1", b"01", b"001", b"10", b"2", b"9", b"99999999999999999999999", b"100000000000000000000000",
    b"~", b"~1", b"a~", b"a~~", b"zz.", b"zz.1", b"zz.a", b"zz.~", b"\xc3\xa91", b"\xc3\xa910",
    b"\xc3\xa92", b".0", b".~", b".1.2", b"foo.0a", b"foo.a0", b"foo.9a", b"foo.09a~",
]

EXTENSIONS = [
    b"b.c", b"a.c", b"c.c", b"a.h", b"a", b"b", b".c", b".hidden.c", b"a.", b"b.", b"a.b.c",
    b"x.C", b"x.TXT", b"x.txt", b"y.Txt", b"arc.tar.gz", b"arc.TAR.GZ", b"arc.tgz", b"p.png",
    b"p.jpg", b"m.mp3", b"Makefile", b"README", b"README.md", b"core", b".bashrc", b"vimrc",
    b"a.txt~", b"b.c~", b"x.bak", b"#x#", b"k.\xc3\xa9", b"k.\xe9", b"a.z", b"a.Z", b"z.a",
]


def put(path, size=0, mode=0o644, uid=0, gid=0, mtime_ns=T0_NS, data=None):
    """One regular file, all of its metadata given."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        if data is not None:
            os.write(fd, data)
        elif size:
            os.ftruncate(fd, size)
        os.fchown(fd, uid, gid)
        os.fchmod(fd, mode)
    finally:
        os.close(fd)
    os.utime(path, ns=(mtime_ns + 10**9, mtime_ns))


def mkdir(path, mode=0o755, uid=0, gid=0, mtime_ns=None):
    os.mkdir(path)
    os.chown(path, uid, gid)
    os.chmod(path, mode)
    return path


class Zoo:
    def __init__(self, root, tmpfs=None):
        self.root = os.fsencode(root)
        self.tmpfs = os.fsencode(tmpfs) if tmpfs else None
        self.notes = []             # what this machine did not permit

    def path(self, *parts):
        return b"/".join([self.root, *[os.fsencode(p) for p in parts]])

    def attempt(self, what, function, *args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (OSError, OverflowError, subprocess.CalledProcessError) as error:
            self.notes.append(f"no {what}: {error}")

    def build(self):
        os.umask(0o022)
        os.makedirs(self.root, exist_ok=True)
        os.chmod(self.root, 0o755)
        self.types()
        self.flat("names", NAMES)
        self.flat("versions", VERSIONS)
        self.flat("ext", EXTENSIONS)
        self.modes()
        self.devices()
        self.attributes()
        self.links()
        self.sizes()
        self.owners()
        self.times()
        self.nested()
        self.forbidden()
        self.many()
        self.wrapping()
        self.huge()
        put(self.path("file"), size=1234)
        put(self.path("file two"), data=b"x" * 5000)
        put(self.path("-l"))
        os.symlink(b"types", self.path("to-dir"))
        os.symlink(b"file", self.path("to-file"))
        os.symlink(b"nothing", self.path("to-nothing"))
        os.symlink(b"to-loop", self.path("to-loop"))
        mkdir(self.path("empty"))
        put(self.path(mkdir(self.path("single"))[len(self.root) + 1:], "only one"))
        self.settle(self.root)
        if self.tmpfs:
            self.settle(self.tmpfs)
        return self.notes

    def flat(self, where, names):
        mkdir(self.path(where))
        for i, name in enumerate(dict.fromkeys(names)):
            self.attempt(repr(name), put, self.path(where, name), size=i * i * 37,
                         mtime_ns=T0_NS - i * 86400 * 10**9 * 3 + i)

    def types(self):
        """A little of everything, small enough to list thousands of times."""
        at = lambda *p: self.path("types", *p)
        mkdir(at())
        put(at("regular"), data=b"hello\n")
        put(at("script.sh"), data=b"#!/bin/sh\n", mode=0o755)
        put(at("setuid"), mode=0o4755, mtime_ns=T0_NS - 10**17)
        put(at("setgid"), mode=0o2755)
        put(at("big.tar.gz"), size=123456789)
        put(at("Notes.TXT"), data=b"n" * 4097, uid=12345, gid=54321)
        put(at("backup~"), data=b"b")
        put(at(".dot"), data=b"d")
        put(at("with space"), mode=0o600, uid=NOBODY, gid=NOBODY)
        put(at("quote'd"), mode=0)
        put(at("new\nline"))
        put(at("日本語.png"), data=b"p" * 100)
        put(at(b"latin\xe9"), data=b"l" * 70000)
        put(at("a10"), mtime_ns=T0_NS + 10**9)
        put(at("a9"), mtime_ns=T0_NS + 10**9 + 1)
        mkdir(at("dir"))
        put(at("dir", "inside"))
        put(at("dir", "more.c"), size=77)
        mkdir(at("dir", "sub"))
        put(at("dir", "sub", "deep file"))
        mkdir(at(".dotdir"))
        put(at(".dotdir", "x"))
        mkdir(at("Dir two"))
        mkdir(at("sticky"), 0o1777)
        mkdir(at("other-writable"), 0o777)
        mkdir(at("setgid-dir"), 0o2775)
        os.symlink("regular", at("link"))
        os.symlink("dir", at("link-dir"))
        os.symlink("missing thing", at("dangling"))
        os.symlink("script.sh", at("link-exe"))
        os.symlink("loop-b", at("loop-a"))
        os.symlink("loop-a", at("loop-b"))
        os.link(at("regular"), at("hardlink"))
        os.mkfifo(at("fifo"), 0o644)
        os.mknod(at("socket"), stat.S_IFSOCK | 0o755)
        self.attempt("char device", os.mknod, at("char"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
        self.attempt("block device", os.mknod, at("block"), stat.S_IFBLK | 0o660, os.makedev(259, 1048575))

    def modes(self):
        mkdir(self.path("modes"))
        for special in range(8):
            for perm in (0o000, 0o111, 0o444, 0o644, 0o666, 0o755, 0o777, 0o010, 0o001):
                mode = special << 9 | perm
                put(self.path("modes", f"f{mode:04o}"), mode=mode)
                mkdir(self.path("modes", f"d{mode:04o}"), mode)

    def devices(self):
        mkdir(self.path("devices"))
        for kind, letter in ((stat.S_IFCHR, "c"), (stat.S_IFBLK, "b")):
            for major, minor in ((0, 0), (1, 3), (1, 11), (10, 229), (8, 16), (259, 7), (4095, 1048575), (4, 65536)):
                self.attempt("device", os.mknod, self.path("devices", f"{letter}{major}-{minor}"),
                             kind | 0o640, os.makedev(major, minor))
        put(self.path("devices", "small"), size=5)
        put(self.path("devices", "large"), size=12345678901)
        mkdir(self.path("devices-narrow"))
        self.attempt("device", os.mknod, self.path("devices-narrow", "null"), stat.S_IFCHR | 0o666, os.makedev(1, 3))

    def attributes(self):
        """ACLs, capabilities, extended attributes, security contexts."""
        at = lambda *p: self.path("attributes", *p)
        run = lambda *argv: subprocess.run(argv, check=True, capture_output=True)
        mkdir(at())
        for name in ("acl", "acl-exe", "cap", "cap+acl", "user-xattr", "selinux", "selinux+acl", "unlabeled", "none"):
            put(at(name), mode=0o755 if name in ("acl-exe", "cap", "cap+acl") else 0o644)
        for name in ("acl-dir", "default-acl-dir", "none-dir", "selinux-dir"):
            mkdir(at(name))
        put(at("acl-dir", "inside"))
        for name in ("acl", "acl-exe", "cap+acl", "selinux+acl", "acl-dir"):
            self.attempt("ACL", run, "setfacl", "-m", "u:12345:rwx", at(name))
        self.attempt("default ACL", run, "setfacl", "-d", "-m", "u:12345:rwx", at("default-acl-dir"))
        for name in ("cap", "cap+acl"):
            self.attempt("capability", run, "setcap", "cap_net_raw+ep", at(name))
        self.attempt("user xattr", os.setxattr, at("user-xattr"), "user.note", b"hello")
        for name in ("selinux", "selinux+acl", "selinux-dir"):
            self.attempt("security context", os.setxattr, at(name), "security.selinux",
                         b"system_u:object_r:" + name.encode() + b"_t:s0\0")
        self.attempt("security context", os.setxattr, at("unlabeled"), "security.selinux", b"unlabeled\0")
        os.symlink("acl", at("link-acl"))
        os.symlink("selinux", at("link-selinux"))
        os.symlink("cap", at("link-cap"))

    def links(self):
        at = lambda *p: self.path("links", *p)
        mkdir(at())
        put(at("target"), size=10)
        put(at("exe"), mode=0o755)
        put(at("archive.zip"))
        mkdir(at("dir"))
        put(at("dir", "inside"))
        mkdir(at("sticky"), 0o1777)
        for name, target in (
                ("file", "target"), ("to-exe", "exe"), ("to-zip", "archive.zip"), ("to-dir", "dir"),
                ("to-dir-slash", "dir/"), ("to-sticky", "sticky"), ("chain1", "chain2"), ("chain2", "chain3"),
                ("chain3", "target"), ("self", "self"), ("loop1", "loop2"), ("loop2", "loop1"), ("dangling", "nowhere"),
                ("dangling-dir", "no/where"), ("through-file", "target/x"), ("null", "/dev/null"), ("root", "/usr/share/zoneinfo/Etc"), ("up", "../types"),
                ("here", "."), ("fifo", "../types/fifo"), ("socket", "../types/socket"), ("setuid", "../types/setuid"),
                ("odd", "new\nline 'and' \"quotes\" \\ \x1b[31m"), ("wide", "日本語"), ("long", "t" * 4000), ("link with space", "a b"),
                ("dangling.zip", "gone.zip"), ("abs", "/usr/bin/env"), ("forbidden", "../forbidden/d0000/x")):
            os.symlink(target, at(name))
        os.symlink(b"latin\xe9", at("latin1"))
        for i in range(12):
            os.link(at("target"), at(f"hard{i}"))

    def sizes(self):
        mkdir(self.path("sizes"))
        sizes = [0, 1, 9, 10, 99, 511, 512, 513, 999, 1000, 1001, 1023, 1024, 1025, 1535, 1536, 9999, 10000, 10188,
                 10189, 10239, 10240, 10241, 99 * 1024, 100 * 1024 + 1, 999999, 1000000, 1048575, 1048576, 1048577,
                 9961472, 10433331, 10485759, 10485760, 999999999, 10**9, 2**30 - 1, 2**30, 2**31, 2**32 + 5, 10**10,
                 10**12, 2**40, 2**40 + 1, 10**13, 2**44 - 4096]
        for size in sizes:
            self.attempt(f"size {size}", put, self.path("sizes", f"s{size:020d}"), size=size)
        for kib in (1, 4, 5, 64, 1000, 1500):           # allocated ones, for -s
            put(self.path("sizes", f"full{kib}"), data=b"z" * (kib * 1024))

    def owners(self):
        mkdir(self.path("owners"))
        ids = (0, 1, 2, 33, 1000, 12345, NOBODY, 100000, 2**31 - 1, 2**31, 4294967294)
        for i, uid in enumerate(ids):
            put(self.path("owners", f"u{uid}"), uid=uid, gid=ids[-1 - i])
        mkdir(self.path("owners", "dir"), uid=12345, gid=33)

    def times(self):
        """Fixed times; one directory of near ones; the daylight-saving days."""
        self.timed("times", {
            "1901": -2147483648, "1950": -631152000, "1969": -1, "1970": 0, "2000": 951782400, "2024leap": 1709164800,
            "2024feb29": 1709208000, "2038": 2147483647, "2038+1": 2147483648, "2100": 4102444800, "2106": 4294967296,
            "2400": 13569465600, "y9dec": 1702303199, "jan1": 1704067200, "dec31": 1703980799, "sunday": 1704585600})
        ns = {f"ns{i}": T0_NS + n for i, n in enumerate((0, 1, 999, 1000, 10**6 - 1, 10**6, 123456789, 10**9 - 1))}
        ns["neg-ns"] = -10**9 * 1000 + 1
        for name, when in ns.items():
            put(self.path("times", name), mtime_ns=when)
        mkdir(self.path("dst"))
        for day in (1710054000, 1711846800, 1730610000, 1729990800):   # New York and London, spring and autumn
            for hours in range(-2, 4):
                put(self.path("dst", f"d{day}{hours:+d}"), mtime_ns=(day + hours * 3600 - 1) * 10**9)
        now = int(time.time())
        days = {f"now{n:+d}d": now + n * 86400 for n in (-366, -365, -200, -184, -183, -182, -181, -179, -100, -30, -2, -1, 1, 100, 400)}
        days.update({"now": now - 2, "hour": now - 3600, "inhour": now + 7200,
                     "border-old": now - SIX_MONTHS_S - 5, "border-new": now - SIX_MONTHS_S + 7200})
        self.timed("near", days)

    def timed(self, where, times_s):
        mkdir(self.path(where))
        for name, when in times_s.items():
            path = self.path(where, name)
            put(path, size=len(name))
            self.attempt(f"time {name}", os.utime, path, ns=((when + 3600) * 10**9 + 7, when * 10**9 + 5))

    def nested(self):
        at = lambda *p: self.path("nested", *p)
        mkdir(at())
        for a in ("one", "two dirs", ".three", "four'q"):
            mkdir(at(a))
            put(at(a, "file"), size=3)
            put(at(a, "z~"))
            for b in ("x", "y", "new\nline"):
                mkdir(at(a, b))
                put(at(a, b, "leaf.c"))
                mkdir(at(a, b, "bottom"))
        os.symlink("..", at("one", "up"))
        os.symlink("../two dirs", at("one", "across"))
        os.symlink(".", at("self"))
        # deeper than PATH_MAX: ls must fail somewhere on the way down
        here = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        for i in range(18):
            name = b"deep" if i == 0 else b"%02d" % i + b"d" * 248
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)

    def forbidden(self):
        """Meant for an ordinary user; root walks through all of it."""
        mkdir(self.path("forbidden"))
        put(self.path("forbidden", "open"), data=b"o")
        put(self.path("forbidden", "closed"), mode=0, data=b"c")
        for owner, uid in (("", 0), ("own-", NOBODY)):
            for mode in (0o000, 0o111, 0o444, 0o555, 0o755, 0o333):
                top = self.path("forbidden", f"{owner}d{mode:04o}")
                mkdir(top)
                for name in ("a", "b b", "x"):
                    put(top + b"/" + name.encode(), data=b"1234")
                put(top + b"/exe.sh", mode=0o755)
                mkdir(top + b"/sub")
                put(top + b"/sub/below")
                os.symlink("a", top + b"/link")
                os.symlink("nowhere", top + b"/dangling")
                os.mkfifo(top + b"/fifo")
                os.chown(top, uid, uid)
                os.chmod(top, mode)
        os.symlink("d0000/a", self.path("forbidden", "link-to-closed"))
        os.symlink("d0444", self.path("forbidden", "link-to-names"))

    def many(self):
        mkdir(self.path("many"))
        for i in range(10000):
            path = self.path("many", f"{'fgh'[i % 3]}{i * 7919 % 10007}.{'txt c tar.gz'.split()[i % 3]}")
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o755 if i % 11 == 0 else 0o644))
            os.utime(path, ns=(T0_NS, T0_NS - (i % 977) * 10**12))

    def wrapping(self):
        """Names that go on in the next line of a terminal; a listing of them fills the output buffer several times."""
        mkdir(self.path("wrapping"))
        for i in range(3000):
            put(self.path("wrapping", f"{i:04}-{'x' * (40 + i * 7919 % 200)}.tar"), size=i % 7)

    def huge(self):
        if not self.tmpfs:
            self.notes.append("no tmpfs: huge sizes and ancient times are left out")
            os.mkdir(self.path("huge"))
            return
        os.symlink(self.tmpfs, self.path("huge"))
        mkdir(self.tmpfs + b"/sizes")
        mkdir(self.tmpfs + b"/times")
        for size in (0, 1, 2**44, 10**15, 2**50, 2**53, 2**53 + 1, 2**60 - 1, 2**60, 10**18, 5 * 10**18, 2**62, 2**63 - 4096, 2**63 - 1):
            self.attempt(f"size {size}", put, self.tmpfs + b"/sizes/h%d" % size, size=size)
        for name, when in (("year1", -62135596800), ("year-1", -62198755200), ("1600", -11676096000), ("1900", -2208988800),
                           ("9999", 253402300799), ("10000", 253402300800), ("big", 2**55), ("now", 1700000000)):
            path = self.tmpfs + b"/times/" + name.encode()
            put(path)
            self.attempt(f"time {name}", self.touch, path, when)

    @staticmethod
    def touch(path, when_s):
        try:
            os.utime(path, ns=(when_s * 10**9, when_s * 10**9))
        except OverflowError:       # Python counts in 64 bits of nanoseconds
            os.utime(path, times=(when_s, when_s))

    def settle(self, top):
        """Directories and links: fixed mtime, atime out of relatime's reach."""
        for here, dirs, names, fd in os.fwalk(top, topdown=False, follow_symlinks=False):
            for i, name in enumerate(sorted(dirs + names)):
                kind = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
                if not stat.S_ISREG(kind):
                    os.utime(name, ns=(FUTURE_NS, T0_NS - i * 10**12), dir_fd=fd, follow_symlinks=False)
        os.utime(top, ns=(FUTURE_NS, T0_NS))


if __name__ == "__main__":
    for note in Zoo(*sys.argv[1:3]).build():
        print(note)
