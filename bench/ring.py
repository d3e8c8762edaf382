"""ring - what the settings of the ring cost: requests in flight, chains, workers, scheduling

Every lane is the same `lsr -al` with other knobs (--io=uring:NAME=N,...), beside plain
calls and threads.  One knob differs from the default at a time.
"""
import os

import dirs
import lib

SUMMARY = "the knobs of the io_uring engine, one at a time"
PAGE = lib.REPO / "docs" / "bench-ring.md"

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
    parser.add_argument("--lsr", default=str(lib.REPO / "build" / "release" / "lsr"), help="the binary")
    parser.add_argument("--label", help="name of the run's directory, behind the date")
    parser.add_argument("--quick", action="store_true", help="few rounds; prints the page, writes nothing")
    parser.add_argument("--scratch", default="/tmp", help="where the directories are made")


def row(label, runs, calls, base):
    wall = lib.median(runs["wall_ns"])
    cpu = lib.median([u + s for u, s in zip(runs["user_us"], runs["sys_us"])])
    return [label, f"{wall / 1e6:.2f}", f"{wall / base:.3f}", f"{cpu / 1e3:.2f}", calls,
            f"{lib.median(runs['nvcsw']):.0f}", f"{lib.median(runs['minflt']):.0f}"]


def measure(args, scratch, run_dir):
    lsr, _ = dirs.place_lsr(args.lsr, scratch)
    lib.write_facts(run_dir / "machine.txt", lib.machine_facts(scratch))
    lib.write_facts(run_dir / "versions.txt", lib.version_facts("/usr/bin/ls", lib.find_tool("busybox"), lsr))
    text, commands = [], []
    for files, rounds in SIZES.items():
        place = scratch / f"{files}"
        dirs.make_directory(place, files, "fresh")
        lanes = [lib.Lane(label, [lsr, f"--io={engine}", "-al"], {"LC_ALL": "C"}) for label, engine in LANES.items()]
        first, _ = lib.capture(lanes[0], place)
        for lane in lanes:
            if lib.capture(lane, place)[0] != first:
                raise lib.BenchError(f"{lane.label} prints something else than {lanes[0].label}")
        commands += [f"# {files} files, {rounds} rounds", *(lane.shell_line() for lane in lanes)]
        raw = run_dir / f"{files}.tsv"
        lib.race(lanes, raw, place, QUICK_ROUNDS if args.quick else rounds, 3)
        runs = lib.read_race(raw)
        base = lib.median(runs["sync"]["wall_ns"])
        rows = [row(lane.label, runs[lane.label], lib.count_syscalls(lane, place)[0], base) for lane in lanes]
        text += [f"\n## {files:,} plain files\n\n",
                 lib.table(["knob", "wall ms", "of sync", "CPU ms", "system calls", "switches", "faults"], rows)]
    (run_dir / "commands.txt").write_text("\n".join(commands) + "\n")
    (run_dir / "tables.md").write_text("".join(text))
    return "".join(text)


def run(args):
    parent = lib.BUILD / "runs" if args.quick else lib.RUNS
    label = args.label or f"{lib.default_label()}-ring"
    with lib.RunDir(parent, label) as run_dir, lib.scratch_dir(args.scratch) as scratch:
        tables = measure(args, scratch, run_dir.path)
    facts = lib.read_facts(run_dir.final / "machine.txt")
    page = (f"# The knobs of the ring\n\nWritten by `./dev bench ring` from `{os.path.relpath(run_dir.final, lib.REPO)}` "
            f"({facts['cpu']}, {facts['cpus']}, {facts['kernel'].split(' #')[0]}, {facts['file system']}); "
            "medians of interleaved runs, warm cache, output to a pipe.\n" + tables)
    if args.quick:
        print(page, end="")
    else:
        lib.write_whole(PAGE, page)
    return 0
