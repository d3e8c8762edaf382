"""dirs - `ls -al` of one directory: lsr and its engines, GNU ls, busybox

    make directories -> check that all print the same -> race -> count calls
    -> count instructions -> summary.tsv -> docs/bench-dirs.md

The page is rendered from the run's directory alone (--render does it again), and
every number and verdict in it comes from there.
"""
import hashlib
import os
import time
from dataclasses import asdict, dataclass

import lib

SUMMARY = "list one directory of plain files, against GNU ls and busybox"

# label, name on the page
LANES = [
    ("gnu", "GNU `ls -al`"),
    ("busybox", "`busybox ls -al`"),
    ("lsr", "`lsr -al`"),
    ("uring", "`lsr -al --io=uring`"),
    ("threads", "`lsr -al --io=threads`"),
    ("sync", "`lsr -al --io=sync`"),
    ("as-ls", "`lsr` called as `ls -al`"),
    ("zig", "`lsr -al` (Zig)"),
]
# Print something else than GNU ls; their lines are counted.
OTHERS = ["busybox", "zig"]
TITLES = dict(LANES)


@dataclass
class Set:
    """Lanes that are measured together, in one directory under one setting."""
    name: str
    title: str
    files: int
    rounds: int
    locale: str = "C"
    times: str = "fresh"        # fresh: as created; spread: over the year before
    cpus: str = ""              # empty: all


SETS = [
    Set("n10", "10 files", 10, 400),
    Set("n100", "100 files", 100, 200),
    Set("n1000", "1,000 files", 1000, 60),
    Set("n10000", "10,000 files", 10000, 25),
    Set("n100000", "100,000 files", 100000, 7),
    Set("n1000-utf8", "1,000 files, LC_ALL=C.UTF-8", 1000, 60, locale="C.UTF-8"),
    Set("n1000-spread", "1,000 files, times spread over a year", 1000, 60, times="spread"),
    Set("n100-one-core", "100 files, one core", 100, 200, cpus="0"),
    Set("n10000-one-core", "10,000 files, one core", 10000, 25, cpus="0"),
]
BY_SIZE = ["n10", "n100", "n1000", "n10000", "n100000"]
QUICK_ROUNDS = 10
STRACE_RUNS = 3
INSTRUCTIONS_SET = "n10000"
INSTRUCTIONS_LANES = ["gnu", "sync"]

# what, summary column, lane, limit per BY_SIZE, None: there is none; perhaps: the lane whose figure it is divided by
TARGETS = [
    ("syscalls", "syscalls", "lsr", [40, 28, 32, 50]),
    ("syscalls", "syscalls", "uring", [28, 28, 32, 50]),
    ("wall ÷ GNU", "ratio_gnu", "lsr", [0.48, 0.48, 0.42, 0.29, 0.26]),
    ("wall ÷ busybox", "ratio_busybox", "lsr", [1.0, 0.90, 0.55, 0.42]),
    ("wall ÷ GNU", "ratio_gnu", "threads", [0.48, 0.58, 0.36, 0.27]),
    ("wall ÷ GNU", "ratio_gnu", "as-ls", [None, None, 0.50, 0.42]),
    ("CPU ÷ --io=sync", "cpu_ms", "lsr", [None, None, None, 1.15], "sync"),
    ("wall ÷ Zig", "wall_median_ms", "lsr", [0.85, 0.85, 0.85, 0.85, 0.85], "zig"),
]


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--ls", default="/usr/bin/ls", help="GNU ls (default: /usr/bin/ls)")
    parser.add_argument("--sets", default="", metavar="LIST",
                        help="only these sets, by name; the page then goes to standard output")
    parser.add_argument("--allow-different", action="store_true",
                        help="go on when lsr prints something else than GNU ls; the page then goes to standard output")


# ---- preparing ---------------------------------------------------------------

def make_directory(path, files, times):
    """n plain files of 0 to 49 bytes, owned by whoever runs this."""
    path.mkdir()
    now = time.time()
    for i in range(files):
        name = path / f"file-{i:05d}.txt"
        name.write_bytes(b"x" * (i % 50))
        if times == "spread":
            then = now - i * (365 * 86400 / files)
            os.utime(name, (then, then))


def make_directories(scratch, sets):
    """{set name: its directory}; sets that need the same one share it."""
    made = {}
    for s in sets:
        path = scratch / f"{s.files}-{s.times}"
        if not path.exists():
            make_directory(path, s.files, s.times)
        made[s.name] = path
    return made


def lanes_of(s, ls, busybox, lsr, lsr_as_ls):
    """Those that are here: of the Zig lsr only who has built it has a binary."""
    argvs = {
        "gnu": [ls, "-al"],
        "busybox": [busybox, "ls", "-al"],
        "lsr": [lsr, "-al"],
        "uring": [lsr, "-al", "--io=uring"],
        "threads": [lsr, "-al", "--io=threads"],
        "sync": [lsr, "-al", "--io=sync"],
        "as-ls": [lsr_as_ls, "-al"],
        "zig": [lib.find_zig(), "-al"],
    }
    return [lib.Lane(label, argvs[label], {"LC_ALL": s.locale}) for label, _ in LANES if argvs[label][0]]


def compare_outputs(s, lanes, cwd):
    """Rows that say who prints what.  Busybox aligns in its own way, so only its lines count; the Zig lsr has no total."""
    outputs = {lane.label: lib.capture(lane, cwd)[0] for lane in lanes}
    rows = []
    for label, text in outputs.items():
        lines = text.count(b"\n")
        if lines != s.files + 3 - (label == "zig"):     # total, ., ..
            raise lib.BenchError(f"{s.name}, {label}: {lines} lines instead of {s.files + 3}")
        rows.append({"set": s.name, "lane": label, "lines": lines, "bytes": len(text),
                     "sha256": hashlib.sha256(text).hexdigest()[:16],
                     "same": "yes" if text == outputs["gnu"] else "no"})
    return rows


# ---- measuring ---------------------------------------------------------------

def count_all_syscalls(s, lanes, cwd, runs, run_dir):
    """Each lane several times, because threads do not always make the same calls."""
    rows, texts = [], []
    for lane in lanes:
        for r in range(runs):
            total, text = lib.count_syscalls(lane, cwd, s.cpus or None)
            rows.append({"set": s.name, "lane": lane.label, "run": r, "calls": total})
        texts.append(f"== {lane.label}: last of {runs} runs\n{text}")
    (run_dir / "strace" / f"{s.name}.txt").write_text("\n".join(texts))
    return rows


def summarize(s, raw, calls):
    """One row per lane of a set."""
    rows = lib.summarize(raw, "gnu", "busybox")
    return [{"set": s.name, **rows[label],
             "syscalls": f"{lib.median([x['calls'] for x in calls if x['lane'] == label]):.0f}"} for label in rows]


def chosen_sets(args):
    names = args.sets.split(",") if args.sets else [s.name for s in SETS]
    unknown = sorted(set(names) - {s.name for s in SETS})
    if unknown:
        raise lib.BenchError(f"no such set: {', '.join(unknown)}; there are {', '.join(s.name for s in SETS)}")
    sets = [s for s in SETS if s.name in names]
    if args.quick:
        for s in sets:
            s.rounds = min(s.rounds, QUICK_ROUNDS)
    return sets


def measure(job):
    args, sets, run_dir = job.args, chosen_sets(job.args), job.dir
    busybox = lib.find_tool("busybox")
    job.version("ls", args.ls, "--version")
    if lib.find_zig():
        job.version("lsr (Zig)", lib.find_zig(), "--version")
    if "GNU coreutils" not in job.versions["ls"]:
        raise lib.BenchError(f"{args.ls} is not GNU ls: {job.versions['ls']}")
    places = make_directories(job.scratch, sets)
    for sub in ("raw", "strace"):
        (run_dir / sub).mkdir()

    outputs, calls, summary = [], [], []
    for s in sets:
        lib.say(f"{s.title}: {s.rounds} rounds")
        cwd, lanes = places[s.name], lanes_of(s, args.ls, busybox, job.lsr, job.as_ls)
        job.note(f"{s.name}: cwd {cwd}, rounds {s.rounds}, " + (f"cpus {s.cpus}" if s.cpus else "all cpus"), lanes)
        outputs += compare_outputs(s, lanes, cwd)
        different = [r["lane"] for r in outputs if r["set"] == s.name and r["same"] == "no" and r["lane"] not in OTHERS]
        if different and not args.allow_different:
            raise lib.BenchError(f"{s.name}: prints something else than GNU ls: {', '.join(different)}")
        raw = run_dir / "raw" / f"{s.name}.tsv"
        warmup = 1 if args.quick else 10 if s.files <= 100 else 3
        lib.race(lanes, raw, cwd, s.rounds, warmup, cpus=s.cpus or None)
        set_calls = count_all_syscalls(s, lanes, cwd, 1 if args.quick or s.files >= 100000 else STRACE_RUNS, run_dir)
        calls += set_calls
        summary += summarize(s, lib.read_race(raw), set_calls)

    instructions = []
    for s in sets:
        if s.name == INSTRUCTIONS_SET:
            for lane in lanes_of(s, args.ls, busybox, job.lsr, job.as_ls):
                if lane.label in INSTRUCTIONS_LANES:
                    count = lib.count_instructions(lane, places[s.name])
                    instructions.append({"set": s.name, "lane": lane.label,
                                         "instructions": "" if count is None else count})

    lib.write_tsv(run_dir / "sets.tsv", [asdict(s) for s in sets])
    lib.write_tsv(run_dir / "outputs.tsv", outputs)
    lib.write_tsv(run_dir / "syscalls.tsv", calls)
    lib.write_tsv(run_dir / "summary.tsv", summary)
    if instructions:
        lib.write_tsv(run_dir / "instructions.tsv", instructions)


# ---- the page ----------------------------------------------------------------

def ratio(row, peer):
    if row["lane"] == peer:
        return "1"
    return (f"{float(row[f'ratio_{peer}']):.3f} "
            f"({float(row[f'ratio_{peer}_low']):.3f}–{float(row[f'ratio_{peer}_high']):.3f})")


def set_table(rows):
    return lib.table(
        ["", "wall ms", "quartiles", "÷ GNU (95 %)", "÷ busybox (95 %)", "CPU ms", "faults", "max RSS KiB", "syscalls"],
        [[TITLES[r["lane"]], lib.ms(r["wall_median_ms"]), f"{lib.ms(r['wall_q1_ms'])}–{lib.ms(r['wall_q3_ms'])}",
          ratio(r, "gnu"), ratio(r, "busybox"), lib.ms(r["cpu_ms"]), r["minflt"], r["maxrss_kib"], f"{int(r['syscalls']):,}"]
         for r in rows])


def target_rows(cell):
    """(row of the table, reached) for each target whose set and lanes were measured."""
    for what, column, lane, limits, *against in TARGETS:
        for name, limit in zip(BY_SIZE, limits):
            row = cell.get((name, lane))
            if row is None or limit is None or (against and (name, against[0]) not in cell):
                continue
            measured = float(row[column])
            if against:
                measured /= float(cell[name, against[0]][column])
            if column == "syscalls":
                shown = [f"{limit}", f"{measured:,.0f}"]
            else:
                interval = "" if against else f" ({float(row[column + '_low']):.3f}–{float(row[column + '_high']):.3f})"
                shown = [f"{limit:.2f}", f"{measured:.3f}{interval}"]
            reached = measured <= limit
            yield [f"{TITLES[lane]}: {what}", f"{int(name[1:]):,}", *shown, lib.verdict(reached)], reached


def same_output_text(outputs):
    differing = sorted({(r["set"], r["lane"]) for r in outputs if r["same"] == "no" and r["lane"] not in OTHERS})
    if not differing:
        return ("Before timing, every `lsr` lane printed byte for byte what GNU ls printed, in every set; "
                "busybox printed as many lines. The Zig `lsr`, if it is here, has other columns and no total.")
    return ("The work was not equal: the output differed from that of GNU ls for " +
            ", ".join(f"{TITLES[lane]} ({name})" for name, lane in differing) + ".")


def unconfined_text(sets, cell):
    """More CPU time than wall time on one core means that work ran elsewhere too."""
    labels = [label for label, _ in LANES if (sets[0]["name"], label) in cell]
    found = [f"{TITLES[label]} ({s['title']})" for s in sets if s["cpus"] for label in labels
             if float(cell[s["name"], label]["cpu_ms"]) > 1.05 * float(cell[s["name"], label]["wall_median_ms"])]
    if not found:
        return "No lane used more CPU time than wall time, so the confinement held."
    return "More CPU time than wall time, so not confined: " + ", ".join(found) + "."


def render(run):
    """The page, from the files of a finished run."""
    sets, summary, outputs = run.tsv("sets.tsv"), run.tsv("summary.tsv"), run.tsv("outputs.tsv")
    cell = {(r["set"], r["lane"]): r for r in summary}
    sizes = [s for s in sets if s["name"] in BY_SIZE]
    out = [f"""Plain files of 0 to 49 bytes, warm cache, output into a pipe. Wall time from before the spawn until the process is reaped, median over
{', '.join(s['rounds'] for s in sizes)} rounds for {', '.join(f"{int(s['files']):,}" for s in sizes)} files; every round
runs every command once, in shuffled order. Ratios are ratios of medians; in brackets the 95 % bootstrap interval.
System calls were counted by strace in separate runs. {same_output_text(outputs)}
"""]
    if sizes:
        out.append("## At a glance\n\nWall time in ms, and in brackets the ratio to GNU ls.\n")
        out.append(lib.table(
            ["", *(s["title"] for s in sizes)],
            [[title, *(f"{lib.ms(r['wall_median_ms'])} ({float(r['ratio_gnu']):.2f})"
                       for r in (cell[s["name"], label] for s in sizes))]
             for label, title in LANES if (sizes[0]["name"], label) in cell]))
    targets = list(target_rows(cell))
    if targets:
        reached = sum(ok for _, ok in targets)
        out.append(f"## Targets\n\n{reached} of {len(targets)} reached. A verdict compares the measured median "
                   "with the limit, not the interval.\n")
        out.append(lib.table(["target", "files", "limit", "measured", ""], [row for row, _ in targets]))
    for s in sets:
        out.append(f"## {s['title']}\n")
        note = f"{s['rounds']} rounds, LC_ALL={s['locale']}"
        if s["cpus"]:
            note += (f", commands confined to CPU {s['cpus']} by sched_setaffinity; the reader of the pipe is not. "
                     + unconfined_text([s], cell))
        else:
            note += "."
        out.append(note + "\n")
        out.append(set_table([r for r in summary if r["set"] == s["name"]]))
    if run.has("instructions.tsv"):
        counts = run.tsv("instructions.tsv")
        out.append("## Instructions\n\nIn user space, 10,000 files, counted by callgrind.\n")
        out.append(lib.table(["", "instructions", "per file"],
                             [[TITLES[r["lane"]], *((f"{int(r['instructions']):,}", f"{int(r['instructions']) / 10000:,.0f}")
                                                    if r["instructions"] else ("not measurable", ""))] for r in counts]))
    return "Listing a directory", "\n".join(out), {}


def run(args):
    partial = "some sets" if args.sets else "different outputs allowed" if args.allow_different else ""
    return lib.run_verb("dirs", args, measure, render, partial)
