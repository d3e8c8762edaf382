#!/usr/bin/env python3
"""kills.py --lsr BINARY [--pack N] [--unpack N] [--others N] [--filter TEXT] [--seed N] - a signal at any moment

Every command is ended by SIGKILL, SIGINT and SIGTERM, or stopped and continued, with nothing there before and over what an
older run made; half of the signals go to its process group, as those of a terminal do.  What must hold:

- It ends at once and by the signal, or was done before, and no process of it stays, also where only its parent was killed.
- What it printed is how an undisturbed run begins, and nothing else is said.
- What it makes (bundles, unpacked files, the page of --compare, the cache of listings) is the old one or the new one, whole, or was
  never there.  Beside it, in TMPDIR and in the current directory lies nothing, and what it reads is as it was.
- SIGKILL alone may leave one stray file beside what is made, and of --unpack, where there was none, a half one under its name.
- Stopped and continued, it prints, makes and returns what it does undisturbed.  So does the next run after any of these.

Prints how often nothing, a part, or all of it was done, as a table, and `N passed, N failed`.
"""
import argparse
import collections
import io
import os
import random
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

SIGNALS = ["KILL", "INT", "TERM", "STOP"]
END_S = 10  # it may take that long, on a busy machine

# Runs of one option, the row of the table, the command.  {0} is old or new: what an older run reads, or this one; a command without
# it is not run over anything.  What it makes goes to out, where the cache of listings is, too.
COMMANDS = [
    ("pack", "`--pack` of a directory", "--pack --force --output=out/x.tar.zst {0}/tree"),
    ("pack", "`--pack` of a directory", "--pack --force --output=out/x.zip {0}/tree"),
    ("pack", "`--pack` of a directory", "--pack --force --output=out/x.sqlar {0}/tree"),
    ("unpack", "`--unpack`", "--unpack --force -v --output=out {0}/tree.tar.zst"),
    ("unpack", "`--unpack`", "--unpack --force -v --output=out {0}/tree.zip"),
    ("unpack", "`--unpack`", "--unpack --force -v --output=out {0}/tree.tar.gz"),
    ("others", "a directory", "--io=uring -lRA many"),
    ("others", "a directory", "--io=threads --threads=4 -lRA many"),
    ("others", "a directory", "--tree -l many"),
    ("others", "a directory", "--json -R many"),
    ("others", "a directory", "-l --total-size many"),
    ("others", "bundles in bundles", "-lR --bundles=always nested.tar nested.zip"),
    ("others", "bundles in bundles", "--tree --total-size --json --bundles=always nested.tar"),
    ("others", "a .tar.gz that the cache gets", "-lR {0}/big.tar.gz"),
    ("others", "a database", "-lR x.db"),
    ("others", "`--cat`", "--cat {0}/tree.tar.gz/tree/d?/f?"),
    ("others", "`--cat`", "--cat x.db/t"),
    ("others", "`--check`", "--check {0}/tree.tar.zst {0}/tree.tar.gz {0}/tree.zip"),
    ("others", "`--diff --content`", "--diff --content old/tree new/tree"),
    ("others", "`--diff --content`", "--diff --content {0}/tree.zip {0}/tree.tar.zst"),
    ("others", "`--compare --html`", "--compare --runs=1 --formats=tar.gz,zip --force --html=out/x.html {0}/tree"),
    ("others", "`--pack` of a bundle", "--pack --force --output=out/x.tar.zst {0}/tree.tar.gz"),
    ("others", "`--pack` of a bundle", "--pack --force --output=out/x.zip {0}/tree.tar.zst"),
    ("others", "`--pack --each`", "--pack --each --force --output=out/ {0}/tree"),
]


# --- what is read ---------------------------------------------------------------


def make_tree(path, seed):
    rng = random.Random(seed)
    for i in range(25):
        os.makedirs(f"{path}/d{i}")
        for j in range(8):
            with open(f"{path}/d{i}/f{j}", "wb") as f:
                f.write(rng.randbytes(rng.choice((100, 4000, 30000, 150000))))


def make_many(path):
    for i in range(80):
        os.makedirs(f"{path}/d{i}")
        for j in range(40):
            os.close(os.open(f"{path}/d{i}/f{j}", os.O_CREAT)) if i == 0 else os.link(f"{path}/d0/f{j}", f"{path}/d{i}/f{j}")


def make_tar(path, mode, members):
    with tarfile.open(path, mode) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def make_nested(where):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(30):
            z.writestr(f"f{i}", b"text " * i)
    make_tar(f"{where}/middle.tar.gz", "w:gz", [(f"i{i}.zip", inner.getvalue()) for i in range(4)])
    with open(f"{where}/middle.tar.gz", "rb") as f:
        middle = f.read()
    make_tar(f"{where}/nested.tar", "w", [(f"m{i}.tar.gz", middle) for i in range(12)])
    with zipfile.ZipFile(f"{where}/nested.zip", "w") as z:
        for i in range(12):
            z.writestr(f"m{i}.tar.gz", middle)
    os.unlink(f"{where}/middle.tar.gz")


def make_database(path):
    db = sqlite3.connect(path)
    db.execute("create table t(id integer primary key, a text, b text)")
    db.executemany("insert into t values(?, ?, ?)", ((i, f"row {i}", "x" * (i % 100)) for i in range(20000)))
    db.commit()
    db.close()


def make_sources(lsr, where):
    for seed, side in enumerate(("old", "new")):
        rng = random.Random(seed)
        make_tree(f"{where}/{side}/tree", seed)
        for form in ("tar.zst", "tar.gz", "zip"):
            subprocess.run([lsr, "--pack", f"--output={side}/tree.{form}", f"{side}/tree"], cwd=where, stderr=subprocess.DEVNULL, check=True)
        make_tar(f"{where}/{side}/big.tar.gz", "w:gz", ((f"d{i % 100}/member-{i}", rng.randbytes(120)) for i in range(10000)))
    make_many(f"{where}/many")
    make_nested(where)
    make_database(f"{where}/x.db")
    os.mkdir(f"{where}/tmp")
    os.mkdir(f"{where}/out")
    time.sleep(2.1)  # of younger files nothing is remembered


# --- what is there --------------------------------------------------------------


def contents(path):
    found = {}
    for directory, _, names in os.walk(path):
        for name in names:
            with open(os.path.join(directory, name), "rb") as f:
                found[os.path.relpath(os.path.join(directory, name), path)] = f.read()
    return found


def surroundings(where):
    """Everything but out, without what is in the files: whoever writes to one changes its ctime."""
    found = {}
    for directory, dirs, names in os.walk(where):
        if directory == where:
            dirs.remove("out")
        for name in dirs:
            found[os.path.join(directory, name)] = os.lstat(os.path.join(directory, name)).st_mode
        for name in names:
            st = os.lstat(os.path.join(directory, name))
            found[os.path.join(directory, name)] = (st.st_mode, st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns)
    return found


def processes(session):
    """Those of it that run."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
                name, rest = f.read().rsplit(")", 1)
        except OSError:
            continue
        state, *numbers = rest.split()
        if int(numbers[2]) == session and state not in "ZX":
            found.append((int(pid), name.split("(", 1)[1]))
    return found


# What a command did: its status, its output and messages, what of it still ran then, and whether it had to be killed.
Run = collections.namedtuple("Run", "status out err stayed hung took")

NUMBER = re.compile(rb"[0-9][0-9,.]*")  # bytes and seconds in messages


class Command:
    """What it does undisturbed."""

    def __init__(self, title, template):
        self.title, self.template = title, template
        self.varies = "--compare" in template  # its times do
        self.argv = self.run = self.old_copy = None
        self.old, self.new = {}, {}

    def is_whole(self, path, data, over):
        wanted = [made[path] for made in (self.new, self.old if over else {}) if path in made]
        return data in wanted or (self.varies and data and data[-8:] in [w[-8:] for w in wanted])


class Campaign:
    def __init__(self, lsr, seed, where):
        self.lsr, self.where, self.out, self.rng = lsr, f"{where}/here", f"{where}/here/out", random.Random(seed)
        self.copies = f"{where}/copies"
        os.makedirs(self.copies)
        self.env = {"PATH": os.environ["PATH"], "HOME": self.where, "TMPDIR": f"{self.where}/tmp", "XDG_CACHE_HOME": self.out, "TZ": "UTC0"}
        self.seen, self.left = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
        self.around, self.passed, self.failed = {}, 0, 0

    def run(self, argv, name=None, most=0.0, group=False):
        """Run it, and send it a signal before @most seconds have passed."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen(
                [self.lsr, *argv], cwd=self.where, env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
            )
            start, end = time.monotonic(), os.pidfd_open(child.pid)
            if name:
                send = os.killpg if group else os.kill
                time.sleep(self.rng.uniform(0, most))
                send(child.pid, getattr(signal, "SIG" + name))
                if name == "STOP":
                    time.sleep(0.02)
                    send(child.pid, signal.SIGCONT)
            hung = not select.select([end], [], [], END_S if name else 12 * END_S)[0]
            took = time.monotonic() - start
            os.close(end)
            if hung:
                os.killpg(child.pid, signal.SIGKILL)
            status, until = child.wait(), start + took + 2
            while (stayed := processes(child.pid)) and time.monotonic() < until:
                time.sleep(0.005)
            for pid, _ in stayed:
                os.kill(pid, signal.SIGKILL)
            for f in (out, err):
                f.seek(0)
            return Run(status, out.read(), err.read(), stayed, hung, took)

    def put(self, there):
        """Make out have just that."""
        shutil.rmtree(self.out, ignore_errors=True)
        if there:
            shutil.copytree(there, self.out)
        else:
            os.mkdir(self.out)

    def learn(self, title, template):
        command = Command(title, template)
        for side in ("old", "new"):
            command.argv = template.format(side).split()
            self.put(None)
            command.run, command.old, command.new = self.run(command.argv), command.new, contents(self.out)
            assert command.run.status in (0, 1) and not command.run.stayed, (template, command.run.status, command.run.err)
            if side == "old" and "{0}" in template:
                command.old_copy = tempfile.mkdtemp(dir=self.copies)
                shutil.copytree(self.out, command.old_copy, dirs_exist_ok=True)
        return command

    # Each of these yields what is wrong.

    def judge_end(self, command, name, run):
        """It ends, by the signal or as ever, alone, and has said nothing else until then."""
        ref, ended = command.run, name != "STOP" and run.status == -getattr(signal, "SIG" + name)
        if run.hung:
            yield f"it does not end within {END_S} s"
        if run.stayed:
            yield "still there: " + ", ".join(f"{what} ({pid})" for pid, what in run.stayed)
        if run.status != ref.status and not ended:
            yield f"status {run.status}, undisturbed it is {ref.status}"
        if not command.varies and not (ref.out.startswith(run.out) if ended else ref.out == run.out):
            yield f"its output is not {'the beginning of ' if ended else ''}what it is undisturbed"
        said = set(NUMBER.sub(b"", run.err).splitlines()) - set(NUMBER.sub(b"", ref.err).splitlines())
        if said:
            yield f"it says {sorted(said)[0].decode(errors='replace')}"

    def judge_made(self, command, name, over, run, found):
        """Each file is the old or the new one, but for what SIGKILL may leave."""
        old = command.old if over else {}
        strays = [path for path in found if path not in old and path not in command.new]
        halves = [path for path in found if path not in strays and not command.is_whole(path, found[path], over)]
        lost = [path for path in old if path not in found]
        if name == "KILL":
            self.left[command.title, over].update({"half files": len(halves), "stray files": len(strays)})
        if halves and (over or name != "KILL" or "--unpack" not in command.argv or len(halves) > 1):
            yield f"{len(halves)} are neither old nor new, such as {halves[0]}"
        if lost:
            yield f"{len(lost)} old ones are gone, such as {lost[0]}"
        if strays and (name != "KILL" or len(strays) > 1):
            yield f"beside them lies {strays[0]}"
        if run.status == command.run.status and not self.is_all_there(command, found):
            yield "it ended well, and not all is there"

    def judge_around(self, before, after):
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path):
                yield f"{os.path.relpath(path, self.where)} is {'left behind' if path not in before else 'not as it was'}"

    def judge_again(self, command):
        again = self.run(command.argv)
        if again.status != command.run.status or (again.out != command.run.out and not command.varies):
            yield f"the next run prints something else, with status {again.status}"
        if not self.is_all_there(command, contents(self.out)):
            yield "the next run makes something else"

    def is_all_there(self, command, found):
        return all(path in found and command.is_whole(path, found[path], False) for path in command.new)

    def one(self, command, name, over):
        group, before = self.rng.random() < 0.5, self.around
        self.put(command.old_copy if over else None)
        run = self.run(command.argv, name, command.run.took * 1.1, group)
        self.around, found = surroundings(self.where), contents(self.out)
        problems = [*self.judge_end(command, name, run), *self.judge_made(command, name, over, run, found),
                    *self.judge_around(before, self.around), *self.judge_again(command)]
        ended = run.status != command.run.status
        nothing = ended and not run.out and found == (command.old if over else {})
        part = ended and (run.out != command.run.out or not self.is_all_there(command, found))
        self.seen[command.title][name, "nothing" if nothing else "part" if part else "all"] += 1
        self.passed += not problems
        self.failed += bool(problems)
        for problem in problems[:3]:
            print(f"{' '.join(command.argv)}: SIG{name}{' to its group' if group else ''}{' over an old one' if over else ''}: {problem}", flush=True)

    def commands(self, option, n, text):
        """Each command gets each signal in turn, and every other time over what is there."""
        self.around = surroundings(self.where)
        commands = [self.learn(title, template) for which, title, template in COMMANDS if which == option and text in template] if n else []
        for i in range(n if commands else 0):
            turn, which = divmod(i, len(commands))
            over = commands[which].old_copy and (turn // len(SIGNALS) + turn + which) % 2
            self.one(commands[which], SIGNALS[(turn + which) % len(SIGNALS)], bool(over))

    def judge_signals(self):
        """Some of many signals come before it is done."""
        for title, seen in self.seen.items():
            n = sum(seen[name, done] for name in ("INT", "TERM") for done in ("nothing", "part", "all"))
            if n >= 12 and n == seen["INT", "all"] + seen["TERM", "all"]:
                self.failed += 1
                print(f"{title}: none of {n} signals ended it")

    def print_table(self):
        print("| command | " + " | ".join(f"SIG{name}" + (", SIGCONT" if name == "STOP" else "") for name in SIGNALS) + " | left behind by SIGKILL |")
        print("| --- |" + " --: |" * len(SIGNALS) + " --- |")
        for title, seen in self.seen.items():
            cells = [" / ".join(str(seen[name, done]) for done in ("nothing", "part", "all")) for name in SIGNALS]
            left = [f"{what}{' beside an old one' if over else ''}: {n}" for over in (False, True)
                    for what, n in self.left[title, over].items() if n]
            print(f"| {title} | " + " | ".join(cells) + f" | {', '.join(left) or 'nothing'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--lsr", required=True)
    for option, n in (("pack", 500), ("unpack", 300), ("others", 540)):
        parser.add_argument(f"--{option}", type=int, default=n)
    parser.add_argument("--filter", default="", help="only commands that have this in them")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    # Where a shell runs this behind its back SIGINT is ignored, and a child would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="lsr-kills-") as where:
        campaign = Campaign(os.path.abspath(args.lsr), args.seed, where)
        make_sources(campaign.lsr, campaign.where)
        for option in ("pack", "unpack", "others"):
            campaign.commands(option, getattr(args, option), args.filter)
    campaign.judge_signals()
    campaign.print_table()
    print(f"{campaign.passed} passed, {campaign.failed} failed")
    return 1 if campaign.failed else 0


if __name__ == "__main__":
    sys.exit(main())
