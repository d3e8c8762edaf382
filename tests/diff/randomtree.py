"""randomtree - trees of random shape with odd names, for the tests that ask somebody else about them

    tree = Tree(rng, "/tmp/x/t", entries=80)
    tree.dirs, tree.links, tree.n

Every name ends in a number of its own, so that no two are the same, also where
what is not UTF-8 is shown as U+FFFD.  Times differ by more than a second.  Targets
of links begin with LINK, which is part of no name, as it has slashes.
"""
import os
import random
import stat

LINK = b".///./"
PLAIN = [b"file", b"a", b"Makefile", b"README", b"x.c", b"y.o", b"lib", b"zz", b"Z"]
ODD = [b".hidden", b"..", b"...", b"with blank ", b" ", b"new\nline", b"tab\t", b"-", b"--option=", b"quo'te", b'dou"ble', b"back\\slash",
       b"\xff\xfe", b"cut\xe2\x82", b"e\xcc\x81", "漢字".encode(), "grün".encode(), "👩‍👧".encode(), b"\x1b[31m", b"\x7f", b"\x01", b"*", b"?",
       b"~", b"#", b"$HOME", b"`", "‮".encode(), "\u00a0".encode(), b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5", "├── ".encode(), b"|-- ",
       b"=", b"@", b"a" * 200, b" -> "]
BASE_NS = 1_500_000_000_123_456_789
STEP_NS = 86_461_000_000_007
OWNERS = (0, 1, 2, 65534, 123456)
MODES = (0o644, 0o600, 0o755, 0o4755, 0o2711, 0o6750, 0o1644, 0o4644, 0o000, 0o777)


class Tree:
    def __init__(self, rng, root, entries=80, hard=True, crowd=0):
        self.rng, self.root, self.hard = rng, os.fsencode(root), hard
        self.n = 0
        self.dirs, self.files, self.links = [self.root], [], []
        os.mkdir(self.root)
        for _ in range(entries):
            # Rather the latest than any, so that some become deep.
            parent = self.dirs[-1] if rng.random() < 0.3 else rng.choice(self.dirs)
            self.add(parent if parent.count(b"/") < self.root.count(b"/") + 12 and len(parent) < 3000 else self.root)
        if crowd:
            # As many as engines take together.
            crowded = self.add_dir(self.path(self.root))
            for _ in range(crowd):
                self.add_file(self.path(crowded))
        self.date()

    def path(self, parent):
        self.n += 1
        names = ODD if self.rng.random() < 0.5 else PLAIN
        return parent + b"/" + self.rng.choice(names) + b"%d" % self.n

    def add(self, parent):
        kinds = [(self.add_file, 45), (self.add_dir, 25), (self.add_link, 14), (self.add_special, 8), (self.add_hard, 6 if self.hard else 0)]
        kind = self.rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
        kind(self.path(parent))

    def add_file(self, path):
        size = self.rng.choice([0, 0, 1, 11, 512, 5000, 70000])
        with open(path, "wb") as file:
            file.write(b"x" * min(size, 5000))
            file.truncate(size)
        os.chown(path, self.rng.choice(OWNERS), self.rng.choice(OWNERS))
        os.chmod(path, self.rng.choice(MODES))
        self.files.append(path)

    def add_dir(self, path):
        os.mkdir(path)
        os.chown(path, self.rng.choice(OWNERS), self.rng.choice(OWNERS))
        os.chmod(path, self.rng.choice((0o755, 0o700, 0o1777, 0o2755)))
        self.dirs.append(path)
        return path

    def add_link(self, path):
        siblings = [name for name in os.listdir(os.path.dirname(path)) if name.isalnum()]
        os.symlink(LINK + self.rng.choice([b".", b"..", b"nowhere", *siblings]), path)
        os.chown(path, self.rng.choice(OWNERS), 0, follow_symlinks=False)
        self.links.append(path)

    def add_hard(self, path):
        if self.files:
            os.link(self.rng.choice(self.files), path)

    def add_special(self, path):
        kind, device = self.rng.choice([(stat.S_IFIFO, 0), (stat.S_IFSOCK, 0), (stat.S_IFCHR, os.makedev(1, 3)),
                                        (stat.S_IFBLK, os.makedev(259, 1048575))])
        os.mknod(path, kind | 0o640, device)

    def date(self):
        """A time of its own for each, directories after what is in them."""
        n = 0
        for parent, dirs, files in os.walk(self.root, topdown=False):
            for name in [*files, *(d for d in dirs if os.path.islink(os.path.join(parent, d)))]:
                n += 1
                self.touch(os.path.join(parent, name), n)
            n += 1
            self.touch(parent, n)

    def touch(self, path, n):
        # Some before 1970 and beyond 2038, and the order is not that of the names.
        when = BASE_NS + (n * 7919 % 10007 - 5000) * STEP_NS
        os.utime(path, ns=(when - STEP_NS, when), follow_symlinks=False)
