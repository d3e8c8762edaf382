"""walk - a large tree from top to bottom: find, bfs, fd, ls -R, lsr -R on each engine

Published as uringfind: a walk through IORING_OP_GETDENTS, which was never merged into the kernel.
So all programs read directories by getdents64, lsr under auto and threads ahead of their turn;
lsr's ring fetches the metadata of files.

Every command must see as many entries as Python's walk; the number of lines that it prints
for them is known.
"""
import os

import lib
import picture

SUMMARY = "walk a large tree: find, bfs, fd, ls -R, lsr -R, names and metadata, warm and cold"

TREE, QUICK_TREE = "/usr", "/usr/include"
WARM_ROUNDS, COLD_ROUNDS = 11, 3
QUICK_ROUNDS = 2
FINDERS_LIMIT = 0.85 # of the faster one of bfs and fd

# Lennert Buytenhek, "[PATCH v3 0/2] io_uring: add support for IORING_OP_GETDENTS", linux-kernel, 18 February 2021
PUBLISHED = [["find, cold", "24 m 07.8 s"], ["uringfind, cold", "10 m 29.1 s"], ["find, warm", "5.223 s"], ["uringfind, warm", "3.604 s"]]
GROUPS = {"names": "Names only", "metadata": "With metadata"}


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--tree", help=f"what is walked (default: {TREE})")


def entries_below(tree):
    """(entries without the tree itself, directories with it), links not followed."""
    entries = directories = 0
    for _, below, files in os.walk(tree):
        directories += 1
        entries += len(below) + len(files)
    return entries, directories


def lanes_of(job, tree):
    """[(group, lane, lines for E entries and D directories)]"""
    env = {"LC_ALL": "C", "PATH": os.environ["PATH"]}
    each, rooted = (lambda e, d: e), (lambda e, d: e + 1)
    # A header per directory and an empty line between two; with -l the total of each, too.
    sections, long_sections = (lambda e, d: e + 2 * d - 1), (lambda e, d: e + 3 * d - 1)
    bfs, fd = lib.find_peer("bfs"), lib.find_peer("fd", "fdfind")
    found = [("names", "find", ["/usr/bin/find", tree], rooted)]
    if bfs:
        found.append(("names", "bfs", [bfs, tree], rooted))
        job.version("bfs", bfs, "--version")
    if fd:
        found.append(("names", "fd", [fd, "--unrestricted", ".", tree], each))
        job.version("fd", fd, "--version")
    found += [("names", "ls -RA", ["/usr/bin/ls", "-RA", tree], sections), ("names", "lsr -RA", [job.lsr, "-RA", tree], sections)]
    found += [("names", f"lsr -RA --io={e}", [job.lsr, "-RA", f"--io={e}", tree], sections) for e in lib.ENGINES]
    found.append(("metadata", "find -ls", ["/usr/bin/find", tree, "-ls"], rooted))
    if bfs:
        found.append(("metadata", "bfs -ls", [bfs, tree, "-ls"], rooted))
    if fd:
        # One ls for many entries.  --list-details would be the same with -h and colours.
        found.append(("metadata", "fd -X ls -ldi", [fd, "--unrestricted", ".", tree, "-X", "/usr/bin/ls", "-ldis"], each))
    # The fields of -ls: inode, blocks, mode, links, owners, size, time, name.
    found.append(("metadata", "ls -lisRA", ["/usr/bin/ls", "-lisRA", tree], long_sections))
    found.append(("metadata", "lsr -lisRA", [job.lsr, "-lisRA", tree], long_sections))
    found += [("metadata", f"lsr -lisRA --io={e}", [job.lsr, "-lisRA", f"--io={e}", tree], long_sections) for e in lib.ENGINES]
    job.facts["not here"] = ", ".join(n for n, p in (("bfs", bfs), ("fd", fd)) if p is None) or "none"
    return [(group, lib.Lane(label, argv, env), lines) for group, label, argv, lines in found]


def measure(job):
    tree = os.path.realpath(job.args.tree or (QUICK_TREE if job.quick else TREE))
    entries, directories = entries_below(tree)
    lanes = lanes_of(job, tree)
    all_lanes = [lane for _, lane, _ in lanes]
    job.facts.update({"tree": tree, "entries": f"{entries}", "directories": f"{directories}",
                      "tree's file system": " ".join(lib.mount_of(tree)[1:])})
    job.version("find", "/usr/bin/find", "--version")
    job.note(f"{entries:,} entries in {directories:,} directories", all_lanes)
    lib.say(f"{tree}: {entries:,} entries in {directories:,} directories")
    for _, lane, lines in lanes:
        printed = lib.capture(lane, job.scratch)[0].count(b"\n")
        if printed != lines(entries, directories):
            raise lib.BenchError(f"{lane.label} prints {printed:,} lines instead of {lines(entries, directories):,}; "
                                 "does something write to the tree?")
    raws = {}
    raw = job.dir / "warm.tsv"
    lib.race(all_lanes, raw, job.scratch, QUICK_ROUNDS if job.quick else WARM_ROUNDS, 1)
    raws["warm"] = lib.summarize(lib.read_race(raw))
    if lib.can_drop_caches():
        lib.say("cold")
        raw = job.dir / "cold.tsv"
        lib.race_cold(all_lanes, raw, job.scratch, QUICK_ROUNDS if job.quick else COLD_ROUNDS)
        raws["cold"] = lib.summarize(lib.read_race(raw))
    lib.say("counting")
    summary, traces = [], []
    for group, lane, _ in lanes:
        n, text = lib.count_syscalls(lane, job.scratch)
        traces.append(f"== {lane.label}\n{text}")
        summary += [{"cache": cache, "group": group, **rows[lane.label], "syscalls": n, "names": lib.syscall_names(text)}
                    for cache, rows in raws.items()]
    (job.dir / "strace.txt").write_text("\n".join(traces))
    lib.write_tsv(job.dir / "summary.tsv", summary)


def against_finders(rows):
    """A line for each state of the cache: lsr to the faster of bfs and fd."""
    said = []
    for cache in ("warm", "cold"):
        wall = {r["lane"]: float(r["wall_median_ms"]) for r in rows if r["cache"] == cache}
        finder = min((lane for lane in ("bfs", "fd") if lane in wall), key=wall.get, default=None)
        if finder:
            part = wall["lsr -RA"] / wall[finder]
            said.append(f"With a {cache} cache `lsr -RA` takes {part:.2f} of `{finder}`, the faster finder "
                        f"(limit {FINDERS_LIMIT}: {lib.verdict(part <= FINDERS_LIMIT)}).")
    return said


def render(run):
    summary = run.tsv("summary.tsv")
    entries, directories = int(run.facts["entries"]), int(run.facts["directories"])
    rounds = {r["cache"]: r["runs"] for r in summary}
    cold = f"cold with caches dropped before each run ({rounds['cold']} rounds)" if "cold" in rounds else \
        "no cold ones, as dropping caches needs root"
    out = [f"""`{run.facts['tree']}`: {entries:,} entries in {directories:,} directories, on {run.facts["tree's file system"]}. Output into a pipe, LC_ALL=C;
medians of interleaved rounds, warm ({rounds['warm']} rounds) and {cold}. Ratios are to find. System calls are counted by `strace -f -c` for all threads
and children, in separate runs. Every command saw as many entries as a walk in Python. Not installed: {run.facts['not here'].replace('nobody', 'none')}.

No released kernel has an io_uring operation that reads directories: the patch behind the published numbers was not
merged. So all commands open directories and read them by getdents64, on one or more threads. lsr reads directories ahead in threads under
`auto` and `threads`; `sync` and `uring` read one after the other, and the ring fetches metadata only, so for names these two do the same. bfs uses
io_uring from its version 3 on. `ls` and `lsr` sort each directory,
find and bfs print every path in full, so the same fields take different numbers of bytes: see `KB printed`.
`-ls` and `-lis` show inode, blocks, mode, links, owners, size, time and name; find -ls escapes names and shows link targets as ls does.
GNU `ls -l` also looks for access control lists.
"""]
    for group, title in GROUPS.items():
        rows = [r for r in summary if r["group"] == group]
        base = {}
        for r in rows:
            base.setdefault(r["cache"], float(r["wall_median_ms"]))
        cold_rows = {r["lane"]: r for r in rows if r["cache"] == "cold"}
        lines = []
        for r in (r for r in rows if r["cache"] == "warm"):
            c = cold_rows.get(r["lane"])
            lines.append([f"`{r['lane']}`", lib.ms(r["wall_median_ms"]), f"{lib.ms(r['wall_min_ms'])}–{lib.ms(r['wall_max_ms'])}",
                          f"{float(r['wall_median_ms']) / base['warm']:.2f}", lib.ms(r["cpu_ms"]),
                          *([lib.ms(c["wall_median_ms"]), f"{float(c['wall_median_ms']) / base['cold']:.2f}"] if c else ["", ""]),
                          f"{int(r['maxrss_kib']) / 1024:,.1f}", f"{int(r['bytes_out']) / 1e3:,.0f}",
                          f"{int(r['syscalls']):,}", f"{int(r['syscalls']) / entries:.2f}", r["names"]])
        out += [f"## {title}\n", lib.table(["", "warm ms", "least–most", "ratio", "CPU ms", "cold ms", "ratio", "max RSS MiB", "KB printed",
                                            "system calls", "per entry", "most frequent"], lines)]
        if group == "names":
            out += ["", *against_finders(rows)]
    out += [lib.picture("walk", cache, f"wall times, {cache}") for cache in rounds]
    out += ["\n## Published\n\nLennert Buytenhek, [PATCH v3 0/2] io_uring: add support for IORING_OP_GETDENTS, linux-kernel, 18 February 2021, "
            "<https://lkml.indiana.edu/hypermail/linux/kernel/2102.2/02298.html>: names only, to /dev/null, of about 14 million files on btrfs over "
            "six spinning disks, through a kernel with that patch. One request at a time leaves the other disks idle, which "
            "explains the cold ratio of 0.43; the warm ratio is 0.69.\n", lib.table(["published", "time"], PUBLISHED)]
    pictures = {cache: picture.bars(f"{run.facts['tree']}, {entries:,} entries, {cache}: wall time",
                                    [(r["lane"], [float(r["wall_median_ms"])]) for r in summary if r["cache"] == cache], "ms")
                for cache in rounds}
    return "Walking a tree", "\n".join(out), pictures


def run(args):
    return lib.run_verb("walk", args, measure, render)
