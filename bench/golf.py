"""golf - `ls -al` by all peers: wall time and system calls for 10 to 10,000 files

The same directories, timer and counting as dirs, with all peers that are installed.
Their outputs differ, so the table has the amount of each; dirs.py compares the programs
whose output is byte-identical.
"""
import os

import dirs
import lib
import picture

SUMMARY = "syscall golf: -al for 10 to 10,000 files, all peers, all engines"

# files: rounds
SIZES = {10: 200, 100: 100, 1000: 40, 10000: 20}
QUICK_SIZES = {10: 10, 100: 5, 1000: 3}
STRACE_RUNS = 3

# rockorager.dev/log/lsr-ls-but-with-io-uring (2025), by hyperfine and strace -c: milliseconds, calls.
# The post names neither machine nor versions.
PUBLISHED = {
    "lsr (Zig)": ([0.3726, 0.6343, 2.7, 22.1], [20, 28, 105, 848]),
    "GNU ls": ([1.4, 1.7, 4.7, 38.0], [405, 675, 3377, 30396]),
    "eza": ([2.9, 3.3, 6.6, 40.2], [319, 411, 1320, 10364]),
    "lsd": ([2.1, 3.5, 17.0, 153.4], [508, 1408, 10423, 100512]),
    "uutils ls": ([2.9, 3.6, 11.3, 89.6], [445, 986, 6397, 10005]),
}


def add_options(parser):
    lib.add_options(parser)


def lanes_of(job):
    """Those that are here; whoever is not gets a line on the page."""
    env = {"LC_ALL": "C"}
    crate = lib.BUILD / "crates" / "bin"
    uutils = lib.find_peer("uu_ls", "uu-ls") or (str(crate / "ls") if (crate / "ls").exists() else None)
    lanes, absent = [], []
    debian_lsd, crate_lsd = "/usr/bin/lsd", str(crate / "lsd")
    for label, argv in (("GNU ls", ["/usr/bin/ls"]), ("busybox", [lib.find_peer("busybox"), "ls"]),
                        ("exa", [lib.find_peer("exa")]), ("eza", [lib.find_peer("eza")]),
                        ("lsd", [debian_lsd if os.path.exists(debian_lsd) else None]),
                        ("lsd (crate)", [crate_lsd if os.path.exists(crate_lsd) else None]),
                        ("uutils ls", [uutils]), ("lsr (Zig)", [lib.find_zig()])):
        if argv[0] is None:
            absent.append(label)
            continue
        # Without an operand, eza takes names from an input that is no terminal.
        lanes.append(lib.Lane(label, [*argv, "-al", "."], env))
        if label not in ("GNU ls", "busybox"):
            version = lib.first_line(argv[0], "--version")
            if label in ("exa", "eza"):     # theirs stands on the second line
                version = lib.sh(f"{argv[0]} --version | sed -n 2p", job.scratch).strip()
            job.versions[label] = version
    lanes.append(lib.Lane("lsr", [job.lsr, "-al", "."], env))
    lanes += [lib.Lane(f"lsr --io={engine}", [job.lsr, f"--io={engine}", "-al", "."], env) for engine in lib.ENGINES]
    job.facts["not here"] = ", ".join(absent) or "none"
    return lanes


def measure(job):
    lanes, summary, traces = lanes_of(job), [], []
    for files, rounds in (QUICK_SIZES if job.quick else SIZES).items():
        lib.say(f"{files:,} files")
        cwd = job.scratch / f"{files}"
        dirs.make_directory(cwd, files, "fresh")
        job.note(f"{files} files, {rounds} rounds", lanes)
        raw = job.dir / f"n{files}.tsv"
        lib.race(lanes, raw, cwd, rounds, 2)
        rows = lib.summarize(lib.read_race(raw), "GNU ls")
        for lane in lanes:
            printed = lib.capture(lane, cwd)[0].count(b"\n")
            if not files <= printed <= files + 3:      # with or without a total, . and ..
                raise lib.BenchError(f"{lane.label} prints {printed} lines for {files} files")
            counts = [lib.count_syscalls(lane, cwd) for _ in range(1 if job.quick else STRACE_RUNS)]
            traces.append(f"== {lane.label}, {files} files\n{counts[-1][1]}")
            summary.append({"files": files, **rows[lane.label], "lines": printed,
                            "syscalls": f"{lib.median([n for n, _ in counts]):.0f}",
                            "names": lib.syscall_names(counts[-1][1])})
    (job.dir / "strace.txt").write_text("\n".join(traces))
    lib.write_tsv(job.dir / "summary.tsv", summary)


def published_table():
    rows = []
    for label, (times, calls) in PUBLISHED.items():
        rows.append([label, *(f"{t:g} ms, {c:,}" for t, c in zip(times, calls))])
    return lib.table(["published", "10", "100", "1,000", "10,000"], rows)


def render(run):
    summary = run.tsv("summary.tsv")
    sizes = list(dict.fromkeys(int(r["files"]) for r in summary))
    lanes = list(dict.fromkeys(r["lane"] for r in summary))
    cell = {(int(r["files"]), r["lane"]): r for r in summary}
    heads = [f"{n:,}" for n in sizes]
    out = [f"""`-al .` in a directory of plain files of 0 to 49 bytes, warm cache, output into a pipe, LC_ALL=C. Wall time from before the
spawn until the process is reaped, medians of interleaved rounds ({', '.join(cell[n, lanes[0]]['runs'] for n in sizes)}). System calls are
counted by `strace -f -c` in separate runs, for all threads and with the start of the program. Work that io_uring does inside the kernel
is no system call: read the calls together with CPU time, which includes the ring's workers. Not installed: {run.facts['not here'].replace('nobody', 'none')}.

## Wall time, ms

In brackets the ratio to GNU ls.
""",
           lib.table(["", *heads], [[lane, *(f"{lib.ms(cell[n, lane]['wall_median_ms'])} ({float(cell[n, lane]['ratio_GNU ls']):.2f})"
                                            for n in sizes)] for lane in lanes]),
           lib.picture("golf", "wall", "wall time against files"), "\n## System calls\n",
           lib.table(["", *heads, "each further file"],
                     [[lane, *(f"{int(cell[n, lane]['syscalls']):,}" for n in sizes),
                       f"{(int(cell[sizes[-1], lane]['syscalls']) - int(cell[sizes[0], lane]['syscalls'])) / (sizes[-1] - sizes[0]):.3f}"]
                      for lane in lanes]),
           lib.picture("golf", "calls", "system calls against files"),
           f"\n## At {sizes[-1]:,} files\n",
           lib.table(["", "most frequent calls", "CPU ms", "max RSS KiB", "lines", "KB printed"],
                     [[lane, r["names"], lib.ms(r["cpu_ms"]), r["maxrss_kib"], f"{int(r['lines']):,}", f"{int(r['bytes_out']) / 1e3:,.0f}"]
                      for lane in lanes for r in [cell[sizes[-1], lane]]], texts=2),
           """
## Published

By the author of the Zig lsr, <https://rockorager.dev/log/lsr-ls-but-with-io-uring>, with hyperfine and `strace -c`, on
directories of plain files; machine, kernel and versions are not named there. The Zig lsr is another program than this one: only
the rows of GNU ls and of the peers have a counterpart above, and `lsr (Zig)` if its binary was there.
""", published_table()]

    def curve(column):
        return {lane: [(n, float(cell[n, lane][column])) for n in sizes] for lane in lanes}
    return "Syscall golf", "\n".join(out), {
        "wall": picture.lines("Wall time of -al", curve("wall_median_ms"), "files", "ms"),
        "calls": picture.lines("System calls of -al", curve("syscalls"), "files", "calls")}


def run(args):
    return lib.run_verb("golf", args, measure, render)
