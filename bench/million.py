"""million - one directory of 1,000,000 files: ls -l, ls, ls -f, readdir(), Go, lsr

Lanes that do the same kind of work stand in a group and are compared within it: long
rows, sorted names, names in the directory's order.  Making and removing the files takes
about half a minute and as many inodes.
"""
import os
import shutil
import subprocess
import time

import lib
import picture

SUMMARY = "one million files in a directory: ls, readdir, Go, lsr, warm and cold"

FILES = 1_000_000
QUICK_FILES = 20_000
WARM_ROUNDS, COLD_ROUNDS = 5, 3
QUICK_ROUNDS = 2
# Of lanes with a call a file, strace counts as many files only: a traced call takes twenty times as long.
COUNT_FILES = 100_000

GROUPS = ["long", "names", "unsorted"]
TITLES = {"long": "Long rows", "names": "Sorted names", "unsorted": "Names in the directory's order"}
# Published, cold, seconds; machine, file system and its state are not known here.
PUBLISHED = {"ls -l": 24.1, "ls": 17.3, "ls -f": 1.16, "readdir, C": 1.05, "os.ReadDir, Go": 9.4}


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--files", type=int, help=f"in the directory (default: {FILES:,})")


def make_files(path, files):
    """Empty files, in one directory.  The names say nothing; ext4 lists them in the order of their hashes."""
    space = os.statvfs(path.parent)
    # Some file systems make inodes as they go and say 0.
    if space.f_files and space.f_favail < files + 1000:
        raise lib.BenchError(f"{files:,} files need as many inodes, and {path.parent} has {space.f_favail:,}")
    path.mkdir()
    at = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    for i in range(files):
        os.close(os.open(f"file-{i:07d}.txt", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644, dir_fd=at))
    os.close(at)


def build_go(job):
    """The Go program, or None with a line that says so."""
    go = lib.find_peer("go") or (shutil.which("/usr/local/go/bin/go"))
    if go is None:
        job.facts["not here"] = "go"
        return None
    program = lib.BUILD / "readdir-go"
    env = {"PATH": os.environ["PATH"], "HOME": str(job.scratch), "GOCACHE": str(job.scratch / "go"), "GOTOOLCHAIN": "local"}
    lib.sh(f"{go} build -o {program} {lib.BENCH / 'readdir.go'}", job.scratch, env)
    job.version("go", go, "version")
    return str(program)


def lanes_of(job):
    """[(group, lane, has a call a file)]"""
    env = {"LC_ALL": "C"}
    readdir, go = lib.compile_c("readdir"), build_go(job)
    found = [("long", "ls -l", ["/usr/bin/ls", "-l"], True), ("long", "lsr -l", [job.lsr, "-l"], False)]
    found += [("long", f"lsr -l --io={e}", [job.lsr, "-l", f"--io={e}"], e != "uring") for e in lib.ENGINES]
    found += [("names", "ls", ["/usr/bin/ls"], False)]
    if go:
        found.append(("names", "os.ReadDir, Go", [go], False))
    found += [("names", "lsr", [job.lsr], False)]
    found += [("unsorted", "ls -f", ["/usr/bin/ls", "-f"], False), ("unsorted", "readdir, C", [str(readdir)], False),
              ("unsorted", "lsr -f", [job.lsr, "-f"], False)]
    return [(group, lib.Lane(label, argv, env), calls) for group, label, argv, calls in found]


def check_lines(lanes, cwd, files):
    """Each names every file; a total, . and .. may come on top."""
    for _, lane, _ in lanes:
        printed = lib.capture(lane, cwd)[0].count(b"\n")
        if not files <= printed <= files + 2:
            raise lib.BenchError(f"{lane.label} prints {printed:,} lines for {files:,} files")


def measure(job):
    files = job.args.files or (QUICK_FILES if job.quick else FILES)
    big, small = job.scratch / "big", job.scratch / "small"
    lanes = lanes_of(job)
    start = time.time()
    make_files(big, files)
    job.facts["files"] = f"{files}"
    job.facts["making them"] = f"{time.time() - start:.1f} s"
    lib.say(f"{files:,} files made in {job.facts['making them']}")
    counted = min(files, COUNT_FILES)
    job.facts["files counted by strace"] = f"{counted}"
    if counted < files:
        make_files(small, counted)
    all_lanes = [lane for _, lane, _ in lanes]
    job.note(f"cwd {big}", all_lanes)
    check_lines(lanes, big, files)

    raws = {}
    lib.say("warm")
    raw = job.dir / "warm.tsv"
    lib.race(all_lanes, raw, big, QUICK_ROUNDS if job.quick else WARM_ROUNDS, 0)
    raws["warm"] = lib.summarize(lib.read_race(raw))
    if lib.can_drop_caches():
        lib.say("cold")
        raw = job.dir / "cold.tsv"
        lib.race_cold(all_lanes, raw, big, QUICK_ROUNDS if job.quick else COLD_ROUNDS)
        raws["cold"] = lib.summarize(lib.read_race(raw))
    lib.say("counting")
    summary, traces = [], []
    for group, lane, calls in lanes:
        there = small if calls and counted < files else big
        n, text = lib.count_syscalls(lane, there)
        traces.append(f"== {lane.label}, {counted if there == small else files} files\n{text}")
        for cache, rows in raws.items():
            summary.append({"cache": cache, "group": group, **rows[lane.label], "syscalls": n, "names": lib.syscall_names(text),
                            "counted": counted if there == small else files})
    (job.dir / "strace.txt").write_text("\n".join(traces))
    lib.write_tsv(job.dir / "summary.tsv", summary)
    # Much sooner than Python does it.
    subprocess.run(["rm", "-rf", str(big), str(small)], check=True)


def group_table(rows):
    first = {}
    for r in rows:
        first.setdefault(r["cache"], float(r["wall_median_ms"]))
    warm = [r for r in rows if r["cache"] == "warm"]
    cold = {r["lane"]: r for r in rows if r["cache"] == "cold"}
    out = []
    for r in warm:
        c = cold.get(r["lane"])
        counted = f"{int(r['syscalls']):,}" + ("" if r["counted"] == rows[0]["files"] else f" at {int(r['counted']):,} files")
        out.append([f"`{r['lane']}`" if "," not in r["lane"] else r["lane"],
                    lib.ms(r["wall_median_ms"]), f"{lib.ms(r['wall_min_ms'])}–{lib.ms(r['wall_max_ms'])}",
                    f"{float(r['wall_median_ms']) / first['warm']:.2f}", lib.ms(r["cpu_ms"]),
                    *([lib.ms(c["wall_median_ms"]), f"{float(c['wall_median_ms']) / first['cold']:.2f}"] if c else ["", ""]),
                    f"{int(r['maxrss_kib']) / 1024:,.1f}", counted, r["names"]])
    return lib.table(["", "warm ms", "least–most", "ratio", "CPU ms", "cold ms", "ratio", "max RSS MiB", "system calls", "most frequent"],
                     out)


def render(run):
    files = int(run.facts["files"])
    summary = run.tsv("summary.tsv")
    for r in summary:
        r["files"] = run.facts["files"]
    rounds = {r["cache"]: r["runs"] for r in summary}
    cold = f"cold ones with caches dropped before each run ({rounds['cold']} rounds)" if "cold" in rounds else \
        "no cold ones, as dropping caches needs root"
    out = [f"""{files:,} empty files in one directory (made in {run.facts['making them']}), output into a pipe, LC_ALL=C, so no colours, and names sort by bytes.
Medians of interleaved rounds: warm ones ({rounds['warm']} rounds), {cold}. Ratios are to the first row of a group.
System calls are counted by `strace -f -c` in separate runs; for commands with a call per file, in a directory of
{int(run.facts['files counted by strace']):,} files of the same kind. `readdir` is `bench/readdir.c`, the program in Go is `bench/readdir.go`;
the latter sorts, the former does not. {'Go is not installed on this machine.' if 'not here' in run.facts else ''}
"""]
    for group in GROUPS:
        out += [f"## {TITLES[group]}\n", group_table([r for r in summary if r["group"] == group])]
    out.append(lib.picture("million", "wall", "wall times"))
    at = {(r["cache"], r["lane"]): float(r["wall_median_ms"]) / 1e3 for r in summary}
    out += ["\n## Published\n\nSeconds with a cold cache, for 1,000,000 files; the machine, the file system and the options of `ls` that an alias may "
            "have added are unknown. An `ls` that colours names requests the metadata of every file.\n",
            lib.table(["", "published, cold", "here, cold", "here, warm"],
                      [[k, f"{v:g}", f"{at['cold', k]:.2f}" if ("cold", k) in at else "", f"{at['warm', k]:.2f}" if ("warm", k) in at else ""]
                       for k, v in PUBLISHED.items()] if files == FILES else [["only compared at that size", "", "", ""]])]
    rows = [(f"{r['lane']}, {r['cache']}", [float(r["wall_median_ms"])]) for cache in rounds for r in summary if r["cache"] == cache]
    return "One million files", "\n".join(out), {"wall": picture.bars(f"{files:,} files: wall time", rows, "ms")}


def run(args):
    return lib.run_verb("million", args, measure, render, "another number of files" if args.files else "")
