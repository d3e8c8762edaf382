#!/usr/bin/env python3
"""diff-git - lsr --git against git status, file by file

    tests/diff/diff-git.py --lsr BINARY [--engines LIST] [--rounds N] [--seed S] [--quick]

Random work trees: staged, modified, deleted, renamed, untracked, ignored and
conflicting files, others' types and modes, submodules, repositories inside.
git is asked for every single file (--untracked-files=all); what lsr shows of a
directory follows from that by the rule of the man page.
"""
import json
import os
import random
import shutil
import subprocess
import sys

from oracle import Oracle

NAMES = ["a", "b.c", "x.o", "with blank", "grün", "new\nline", "quo\"te", "-dash", ".hidden", "! clean", "? odd", "1 .M N", "build", "log~", "tab\t"]
IGNORE = ["*.o\n", "build*/\n", "*~\n", "/top-only\n", "*.o\n!keep*.o\n"]


REFUSED = (0, 1, 128)      # as git does with some of what conflicts
SETTINGS = ["-c", "user.name=S", "-c", "user.email=s@example.org", "-c", "protocol.file.allow=always"]


def git(top, env, *args, ok=(0,)):
    done = subprocess.run(["git", *SETTINGS, *args], cwd=top, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in ok:
        raise RuntimeError(f"git {args} in {top}: {done.returncode}, {done.stderr}")
    return done.stdout


class Work:
    """A repository, and random things done in it."""

    def __init__(self, rng, top, env, init=True):
        self.rng, self.top, self.env, self.n = rng, top, env, 0 if init else 1000
        self.dirs = [""]
        if init:
            os.mkdir(top)
            self.git("init", "-q", "-b", "main")

    def git(self, *args, **how):
        return git(self.top, self.env, *args, **how)

    def path(self, parent=None):
        self.n += 1
        base, dot, end = self.rng.choice(NAMES).partition(".")
        parent = self.rng.choice(self.dirs) if parent is None else parent
        return os.path.join(parent, f"{base}{self.n}{dot}{end}")

    def write(self, path):
        self.n += 1
        with open(os.path.join(self.top, path), "a") as file:
            file.write(f"{self.n}\n" * self.rng.choice([1, 3, 20]))

    def grow(self, files):
        """New directories and files."""
        for _ in range(files):
            if self.rng.random() < 0.3:
                path = self.path()
                os.mkdir(os.path.join(self.top, path))
                if path.count("/") < 5:
                    self.dirs.append(path)
            elif self.rng.random() < 0.1:
                os.symlink(self.rng.choice([".", "a", "nowhere"]), os.path.join(self.top, self.path()))
            else:
                self.write(self.path())

    def tracked(self):
        names = self.git("ls-files", "-z").split("\0")[:-1]
        return [n for n in names if n != ".gitignore" and os.path.lexists(os.path.join(self.top, n)) and not os.path.isdir(os.path.join(self.top, n))]

    def stir(self, times):
        """Change what is tracked, each way that status tells."""
        for _ in range(times):
            names = self.tracked()
            if not names:
                return
            name = self.rng.choice(names)
            full = os.path.join(self.top, name)
            what = self.rng.choice(["edit", "edit", "stage", "both", "delete", "remove", "forget", "rename", "copy", "mode", "type", "intend"])
            if what in ("edit", "stage", "both") and os.path.islink(full):
                what = "mode"
            if what in ("edit", "stage", "both"):
                self.write(name)
            if what in ("stage", "both"):
                self.git("add", "--", name, ok=REFUSED)
            if what == "both":
                self.write(name)
            elif what == "delete":
                os.unlink(full)
            elif what == "remove":
                self.git("rm", "-qf", "--", name, ok=REFUSED)
            elif what == "forget":
                self.git("rm", "-q", "--cached", "-f", "--", name, ok=REFUSED)
            elif what == "rename":
                self.dirs = [d for d in self.dirs if os.path.isdir(os.path.join(self.top, d))]
                self.git("mv", "-f", "--", name, self.path(), ok=REFUSED)
            elif what == "copy" and not os.path.islink(full):
                new = self.path()
                shutil.copyfile(full, os.path.join(self.top, new))
                self.git("add", "-f", "--", new)
            elif what == "mode" and not os.path.islink(full):
                os.chmod(full, os.stat(full).st_mode ^ 0o111)
            elif what == "type":
                os.unlink(full)
                os.symlink("elsewhere", full)
            elif what == "intend":
                new = self.path()
                self.write(new)
                self.git("add", "-f", "-N", "--", new)
            self.dirs = [d for d in self.dirs if os.path.isdir(os.path.join(self.top, d))]

    def conflict(self):
        """Two branches that do not agree about some files."""
        for name in ("both", "ours", "theirs"):
            self.write(name)
        self.git("add", "both", "ours", "theirs")
        self.git("commit", "-qm", "before")
        self.git("checkout", "-q", "-b", "other")
        self.write("both")
        self.write("added")
        self.git("rm", "-q", "ours")
        self.write("theirs")
        self.git("add", "both", "added", "theirs")
        self.git("commit", "-qam", "theirs")
        self.git("checkout", "-q", "main")
        self.write("both")
        self.write("added")
        self.write("ours")
        self.git("rm", "-q", "theirs")
        self.git("add", "both", "added", "ours")
        self.git("commit", "-qm", "ours")
        self.git("merge", "-q", "other", ok=(1,))


def make(rng, place, env, rounds):
    work = Work(rng, os.path.join(place, "work"), env)
    work.grow(rounds)
    with open(os.path.join(work.top, ".gitignore"), "w") as file:
        file.write("".join(rng.sample(IGNORE, 3)))
    work.git("add", "-A")
    work.git("commit", "-qm", "first")
    if rng.random() < 0.5:
        module = Work(rng, os.path.join(place, "module"), env)
        module.grow(8)
        module.write("always")
        module.git("add", "-A")
        module.git("commit", "-qm", "module")
        work.git("submodule", "--quiet", "add", module.top, "sub module")
        work.git("commit", "-qm", "with a module")
        below = Work(rng, os.path.join(work.top, "sub module"), env, init=False)
        if rng.random() < 0.7:
            below.stir(3)
            below.grow(3)
        if rng.random() < 0.5:
            below.git("commit", "-qam", "moved", ok=(0, 1))
    if rng.random() < 0.5:
        work.conflict()
    work.stir(rounds // 3)
    work.grow(rounds // 3)
    if rng.random() < 0.5:
        inside = Work(rng, os.path.join(work.top, work.path()), env)
        inside.grow(6)
        if rng.random() < 0.5:
            inside.git("add", "-A")
    return work


# ---- what git says -------------------------------------------------------------


def status(top, env):
    """[(path, letters)] of every file that is not as it was, as git tells them; and all that are tracked."""
    out = git(top, env, "status", "--porcelain=v2", "-z", "--ignored", "--untracked-files=all", "--ignore-submodules=dirty")
    fields = iter(out.split("\0")[:-1])
    changes = []
    for record in fields:
        kind = record[0]
        if kind in "?!":
            changes.append((record[2:].rstrip("/"), kind * 2))
        elif kind in "12u":
            n = {"1": 8, "2": 9, "u": 10}[kind]
            changes.append((record.split(" ", n)[n], record[2:4].replace(".", "-")))
            if kind == "2":
                next(fields)            # the old name
    return changes, set(git(top, env, "ls-files", "-z").split("\0")[:-1])


def common(letters):
    changed = {letter for letter in letters if letter != "-"}
    return "-" if not changed else changed.pop() if len(changed) == 1 else "M"


class Expected:
    """Letters of whatever lies in a work tree, from those of its files."""

    def __init__(self, env):
        self.env, self.tops = env, {}

    def top_of(self, path):
        """The work tree that has @path in it, a file or directory, and not as its top."""
        path = os.path.dirname(path)
        while not os.path.lexists(os.path.join(path, ".git")):
            path = os.path.dirname(path)
        if path not in self.tops:
            self.tops[path] = status(path, self.env)
        return path, *self.tops[path]

    def letters(self, path):
        """None: it has none."""
        top, changes, tracked = self.top_of(path)
        name = os.path.relpath(path, top)
        if name.split("/")[0] == ".git":
            return None
        # Of what was taken out of the index and is still there, git tells both; the index comes first.
        own = [letters for changed, letters in changes if changed == name]
        if own:
            return own[0][0] + "?" if "??" in own[1:] else own[0]
        if os.path.islink(path) or not os.path.isdir(path) or name in tracked:
            return "--"
        below = name + "/"
        found = [letters for changed, letters in changes if changed.startswith(below)]
        if not any(file.startswith(below) for file in tracked):
            # Of a directory that is not in the index, git tells no more than that.
            if "??" in found or "!!" in found:
                return "??" if "??" in found else "!!"
            # There is nothing in it for git: as what is around it.
            parent = os.path.dirname(path)
            around = self.letters(parent) if parent != top else "--"
            if not found:
                return around if around in ("??", "!!") else "--"
        found = [letters for letters in found if letters != "!!"]
        return common(l[0] for l in found if l != "??") + common(l[1] for l in found)


def walk(top):
    """All below, without what git keeps for itself."""
    for parent, dirs, files in os.walk(top):
        dirs[:] = [name for name in dirs if name != ".git"]
        for name in dirs + files:
            if name != ".git":
                yield os.path.join(parent, name)


def one(oracle, seed, place):
    env = {**oracle.env, "HOME": place, "GIT_CONFIG_NOSYSTEM": "1"}
    oracle.env.update(HOME=place, GIT_CONFIG_NOSYSTEM="1")
    rng = random.Random(seed)
    work = make(rng, place, env, rng.choice([6, 20, 60]))
    expected = Expected(env)
    paths = sorted(walk(work.top))
    want = [f"{os.path.relpath(path, place)!r} {expected.letters(path)}" for path in paths]
    for engine in oracle.engines:
        have = []
        for line in oracle.ask(engine, ["--json", "--git", "--columns=git", "-AR", "-I.git", "work"], place).split(b"\n")[:-1]:
            try:
                entry = json.loads(line)
                have.append(f"{entry['path']!r} {entry.get('git')}")
            except ValueError:
                have.append(repr(line))
        oracle.check(f"seed {seed} {engine}: lsr --git -AR", want, sorted(have))
        # The same of operands, each alone, and in front of names.
        some = [os.path.relpath(path, place) for path in rng.sample(paths, min(12, len(paths)))]
        lines = [f"{expected.letters(os.path.join(place, path)) or '  '} {path}" for path in sorted(some, key=os.fsencode)]
        oracle.check(f"seed {seed} {engine}: lsr --git -d of operands", "".join(line + "\0" for line in lines).encode(),
                     oracle.ask(engine, ["--git", "-d", "-1", "--zero", "--", *some], place))


if __name__ == "__main__":
    o = Oracle("lsr --git against git status", 30, 6)
    sys.exit(o.main(lambda seed, place: one(o, seed, place)))
