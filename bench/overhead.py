"""overhead - what measuring costs: each way of lsr --compare with its clocks and without them

`lsr --compare --each` is started, and stopped as soon as it has run each way once; its bundles stay
open.  The jobs of its children are then given to children of our own, in turns: measured, as
--compare does it, which reads the clock in between and the accounts in /proc; and unmeasured,
with a clock that stands still.  Both are timed from outside, from before they start until they are reaped.

Two equal runs differ by several per cent here, so many short ones are made, over an eighth of the corpus.  The cost of
measuring is proportional to the number of files, so its share is the same.  The two runs of a pair follow each other, and
pairs are compared, so that a disturbance of the machine affects both.
"""
import fcntl
import os
import random
import signal
import socket
import struct
import subprocess
import time

import corpus
import lib

SUMMARY = "the overhead of measuring: each way of --compare with its clocks and without them"

SLICE = corpus.FILES // 8, corpus.PACKAGES // 8, corpus.BYTES // 8
ROUNDS, QUICK_ROUNDS = 200, 11
LIMIT = 1.02
LANES = ["measured", "unmeasured"]
SOCKET, JOB = 3, 4                      # descriptors of a way, and its words: src/compare/way.h
UNMEASURED = "unmeasured"
REPORT = struct.Struct("=i204s10Q")     # struct lsr_way_report
FREE_FDS = 100
FIND_LIMIT_S = 600


def add_options(parser):
    lib.add_options(parser)


class Jobs:
    """{way: (the size of its job in bytes, a file that holds it)} of a --compare that is stopped meanwhile."""
    def __init__(self, job, tree):
        env = {**job.shell_env(), "TMPDIR": str(job.scratch)}
        lane = lib.Lane("the ways", [job.lsr, "--compare", "--each", "--runs=1000", "--json", str(tree)], env)
        job.note("stopped when each way has run once", [lane])
        self.found = {}
        self.process = subprocess.Popen(lane.argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        try:
            self.find()
        except BaseException:
            self.__exit__()
            raise
        return self.found

    def find(self):
        deadline, last = time.monotonic() + FIND_LIMIT_S, None
        children = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        again = 0           # how many were no news; the first way runs twice before the others
        while again <= len(self.found):
            if self.process.poll() is not None or time.monotonic() > deadline:
                said = self.process.stderr.read().decode(errors="replace").strip() if self.process.poll() is not None else "too slow"
                raise lib.BenchError(f"lsr --compare: {said[-300:]}")
            for pid in lib.read_text(children, "").split():
                known = len(self.found)
                if pid != last and self.take(pid):
                    last = pid
                    again = again + 1 if len(self.found) == known else 0
            time.sleep(0.0005)
        os.kill(self.process.pid, signal.SIGSTOP)

    def take(self, pid):
        """Whether process @pid is a way; its job is kept."""
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            if words[0] != b"lsr-way":
                return False
            with open(f"/proc/{pid}/fd/{JOB}", "rb") as file:
                data = file.read()
        except OSError:
            return False
        name, size = words[1].decode(), int(words[2])
        if len(data) != size:
            return False
        if name not in self.found:
            file = os.memfd_create("job")
            os.write(file, data)
            self.found[name] = size, file
        return True

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        for _, file in self.found.values():
            os.close(file)


def high(fd):
    """The same descriptor where no number of a child's is."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, FREE_FDS)


def accounts(pid):
    """What --compare looks at before it lets a way end."""
    return lib.read_text(f"/proc/{pid}/status"), lib.read_text(f"/proc/{pid}/io")


def run_way(lsr, name, size, file, measured):
    """(ns from outside, us of CPU, digest) of one run."""
    ours, theirs = socket.socketpair()
    job, end = high(file), high(theirs.fileno())
    words = ["lsr-way", name, str(size), *([] if measured else [UNMEASURED])]
    actions = [(os.POSIX_SPAWN_DUP2, end, SOCKET), (os.POSIX_SPAWN_DUP2, job, JOB)]
    if not measured:
        ours.shutdown(socket.SHUT_WR)       # it need not wait
    start = time.monotonic_ns()
    pid = os.posix_spawn(lsr, words, {}, file_actions=actions)
    os.close(end)
    theirs.close()
    report = b""
    if measured:
        report = ours.recv(REPORT.size, socket.MSG_WAITALL)
        accounts(pid)
        ours.shutdown(socket.SHUT_WR)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic_ns() - start
    report = report or ours.recv(REPORT.size, socket.MSG_WAITALL)
    ours.close()
    os.close(job)
    if status != 0 or len(report) != REPORT.size:
        raise lib.BenchError(f"{name}: wait status {status}, {len(report)} bytes of report: is lsr of another version?")
    error, what, *numbers = REPORT.unpack(report)
    if error:
        raise lib.BenchError(f"{name}: {what.rstrip(bytes(1)).decode(errors='replace')}: {os.strerror(-error)}")
    if measured != (numbers[2] > 0):
        raise lib.BenchError(f"{name}: it does not do without a clock: is lsr of another version?")
    return wall, round((usage.ru_utime + usage.ru_stime) * 1e6), f"{numbers[8]:016x}"


def measure(job):
    tree = job.scratch / "corpus"
    files, packages, size = corpus.QUICK if job.quick else SLICE
    corpus.make_corpus(tree, files, packages, size)
    rounds, order = QUICK_ROUNDS if job.quick else ROUNDS, random.Random(1)
    job.facts.update({"files": f"{files}", "packages": f"{packages}", "rounds": f"{rounds}"})
    rows, digests = [], set()
    with Jobs(job, tree) as jobs:
        job.note("children of our own, with its socket and its job as descriptors 3 and 4",
                 [lib.Lane(f"{name}, {lane}", ["lsr-way", name, str(jobs[name][0]), *([] if lane == "measured" else [UNMEASURED])])
                  for name in jobs for lane in LANES])
        lib.say(f"{len(jobs)} ways, {rounds} rounds")
        for turn in range(-1, rounds):      # the first one warms up
            for name in order.sample(list(jobs), len(jobs)):
                for lane in order.sample(LANES, len(LANES)):
                    wall, cpu, digest = run_way(job.lsr, name, *jobs[name], lane == "measured")
                    digests.add(digest)
                    if turn >= 0:
                        rows.append({"round": turn, "way": name, "lane": lane, "wall_ns": wall, "cpu_us": cpu})
        order_of_ways = list(jobs)
    if len(digests) != 1:
        raise lib.BenchError("not all runs read the same")
    rows.sort(key=lambda r: (order_of_ways.index(r["way"]), r["round"], r["lane"]))
    lib.write_tsv(job.dir / "runs.tsv", rows)


def interval(ratios, seed=1):
    """The median, and its 95 % bootstrap interval."""
    rng = random.Random(seed)
    medians = [lib.median(rng.choices(ratios, k=len(ratios))) for _ in range(lib.RESAMPLES)]
    return lib.median(ratios), lib.quantile(medians, 0.025), lib.quantile(medians, 0.975)


def verdict(low, high):
    if low <= LIMIT < high:
        return "not decided"
    return lib.verdict(high <= LIMIT)


def render(run):
    ways = {}
    for r in run.tsv("runs.tsv"):
        way = ways.setdefault(r["way"], {"wall_ns": {}, "cpu_us": {}})
        for column, rounds in way.items():
            rounds.setdefault(int(r["round"]), {})[r["lane"]] = int(r[column])
    rows = []
    for name, way in ways.items():
        walls, cpus = way["wall_ns"].values(), way["cpu_us"].values()
        ratio, low, high_end = interval([w["measured"] / w["unmeasured"] for w in walls])
        cpu = interval([c["measured"] / max(c["unmeasured"], 1) for c in cpus])[0]
        rows.append([name, len(walls), lib.ms(lib.median([w["unmeasured"] for w in walls]) / 1e6), percent(ratio),
                     f"{percent(low)} to {percent(high_end)}", percent(cpu), verdict(low, high_end)])
    f = run.facts
    body = f"""{int(f['files']):,} files in {int(f['packages']):,} package directories, an eighth of the [corpus](bench-corpus.md), with a bundle for each;
warm cache. Each way of `lsr --compare` in processes of their own, in pairs: *measured* as `--compare` does it, reading the clock in between and
the accounts in `/proc`; *unmeasured* with a clock that stands still. Both are timed from outside, from before the process starts until it is
reaped. The overhead is the median of the ratios within a pair, minus one, with its 95 % bootstrap interval, and beside it the overhead in CPU time. Target: at most
{percent(LIMIT)}. The verdict is that of the whole interval; if the target is inside it, the row is not decided.

{lib.table(["way", "pairs", "unmeasured ms", "overhead", "95 %", "of CPU", ""], rows)}"""
    return "The overhead of measuring", body, {}


def percent(ratio):
    return f"{100 * (ratio - 1):+.2f} %"


def run(args):
    return lib.run_verb("overhead", args, measure, render)
