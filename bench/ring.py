"""ring - what the settings of the ring cost: requests in flight, chains, workers, scheduling

Every lane is the same `lsr -al` with other knobs (--io=uring:NAME=N,...), beside plain
calls and threads.  One knob differs from the default at a time.
"""
import dirs
import lib

SUMMARY = "the knobs of the io_uring engine, one at a time"

# files in the directory: rounds
SIZES = {1000: 80, 10000: 40}
QUICK_ROUNDS = 8
LANES = {
    "sync": "sync",
    "threads": "threads",
    "default": "uring",
    "depth=256": "uring:depth=256",
    "depth=512": "uring:depth=512",
    "depth=1024": "uring:depth=1024",
    "depth=4096": "uring:depth=4096",
    "chain=16": "uring:chain=16",
    "chain=64": "uring:chain=64",
    "workers=1": "uring:workers=1",
    "workers=2": "uring:workers=2",
    "workers=8": "uring:workers=8",
    "batch=1 (always SCHED_BATCH)": "uring:batch=1",
    "batch=2 (never SCHED_BATCH)": "uring:batch=2",
}


def add_options(parser):
    lib.add_options(parser)


def row(label, runs, calls, base):
    wall = lib.median(runs["wall_ns"])
    cpu = lib.median([u + s for u, s in zip(runs["user_us"], runs["sys_us"])])
    return [label, f"{wall / 1e6:.2f}", f"{wall / base:.3f}", f"{cpu / 1e3:.2f}", calls,
            f"{lib.median(runs['nvcsw']):.0f}", f"{lib.median(runs['minflt']):.0f}"]


def measure(job):
    text = []
    for files, rounds in SIZES.items():
        place = job.scratch / f"{files}"
        dirs.make_directory(place, files, "fresh")
        lanes = [lib.Lane(label, [job.lsr, f"--io={engine}", "-al"], {"LC_ALL": "C"}) for label, engine in LANES.items()]
        first, _ = lib.capture(lanes[0], place)
        for lane in lanes:
            if lib.capture(lane, place)[0] != first:
                raise lib.BenchError(f"{lane.label} prints something else than {lanes[0].label}")
        job.note(f"{files} files, {rounds} rounds", lanes)
        raw = job.dir / f"{files}.tsv"
        lib.race(lanes, raw, place, QUICK_ROUNDS if job.quick else rounds, 3)
        runs = lib.read_race(raw)
        base = lib.median(runs["sync"]["wall_ns"])
        rows = [row(lane.label, runs[lane.label], lib.count_syscalls(lane, place)[0], base) for lane in lanes]
        text += [f"\n## {files:,} plain files\n\n",
                 lib.table(["knob", "wall ms", "of sync", "CPU ms", "system calls", "switches", "faults"], rows)]
    (job.dir / "tables.md").write_text("".join(text))


def render(run):
    body = "Medians of interleaved runs, warm cache, output to a pipe.\n" + (run.path / "tables.md").read_text()
    return "The knobs of the ring", body, {}


def run(args):
    return lib.run_verb("ring", args, measure, render)
