"""bundles - listing archives and databases against the tools that made them

One real tree, packed by the stock tools; `lsr -lR` of each bundle against the tool that
people use for it.  Caches of listings are off but in the row that measures them.
"""
import os
import pathlib

import lib

SUMMARY = "listing bundles, against bsdtar, unzip and sqlite3"
TREE = "/usr/share"
QUICK_TREE = "/usr/include"

ROUNDS = 11
SHORT_ROUNDS = 41  # of what takes less than half a second
SHORT = ["tar", "zip", "sqlar", "iso", "zip, 10 entries", "tar.gz, 10 entries"]
MANY = 1000  # small bundles
QUICK_MANY = 50
MANY_FILES = 50
MANY_FILE_MAX = 64 << 10  # bytes: one large file makes a large bundle

# row: (bundle, peer's command, limit of the ratio)
ROWS = {
    "tar": ("tree.tar", ["bsdtar", "-tvf"], 0.25),
    "tar.gz": ("tree.tar.gz", ["bsdtar", "-tvf"], 0.90),
    "tar.zst": ("tree.tar.zst", ["bsdtar", "-tvf"], 0.90),
    "zip": ("tree.zip", ["unzip", "-l"], 0.12),
    "sqlar": ("tree.sqlar", ["sqlite3", "-A", "-tv", "-f"], 0.50),
    "7z": ("tree.7z", ["bsdtar", "-tvf"], 1.0),
    "iso": ("tree.iso", ["bsdtar", "-tvf"], 1.0),
    "zip, 10 entries": ("ten.zip", ["unzip", "-l"], 1.0),
    "tar.gz, 10 entries": ("ten.tar.gz", ["bsdtar", "-tvf"], 1.0),
}


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--tree", default=TREE, help=f"what is packed (default: {TREE})")
    parser.add_argument("--rounds", type=int, default=ROUNDS)


def pack(tree, scratch, many):
    """The bundles, all of the same tree; sparse device files and sockets are no part of such a tree."""
    parent, name = os.path.split(os.path.realpath(tree))
    lib.sh(f"tar -C {parent} --sort=name -cf tree.tar {name}", scratch)
    lib.sh("gzip -k tree.tar; zstd -q -k tree.tar", scratch)
    lib.sh(f"cd {parent} && zip -q -r -y {scratch}/tree.zip {name}", scratch)
    lib.sh(f"cd {parent} && sqlite3 -A -cf {scratch}/tree.sqlar {name}", scratch)
    lib.sh(f"cd {parent} && 7z a -bd -bso0 -mx=1 {scratch}/tree.7z {name}", scratch)
    lib.sh(f"xorriso -as mkisofs -quiet -R -o tree.iso {parent}/{name}", scratch)
    lib.sh("mkdir ten; for i in 0 1 2 3 4 5 6 7 8 9; do echo $i >ten/$i; done; zip -q -r ten.zip ten; tar -czf ten.tar.gz ten",
       scratch)
    (scratch / "many").mkdir()
    files = [str(p) for p in sorted(pathlib.Path(tree).rglob("*"))
             if p.is_file() and not p.is_symlink() and p.stat().st_size <= MANY_FILE_MAX]
    for i in range(many):
        part = files[i * MANY_FILES % max(1, len(files) - MANY_FILES):][:MANY_FILES]
        with open(scratch / "list", "w") as out:
            out.write("\0".join(part))
        lib.sh(f"tar -C / --null -P -T list -czf many/{i:04}.tar.gz", scratch)
    lib.sh("ls many/* >many.list", scratch)
    # Bundles that changed within the last seconds are not remembered.
    lib.sh("touch -d '1 hour ago' tree.* ten.* many/*; sleep 3", scratch)


def warm(files):
    """Have the files cached as such that were read from the disk.

    The pages of one that was just written are as small as what wrote it, and some hosts take the memory of what was not
    used for minutes.
    """
    for path in files:
        with open(path, "rb", buffering=0) as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while file.read(1 << 20):
                pass


def lanes_of(lsr, scratch, many, env):
    """[(row, limit, rounds, lanes)], the peer first."""
    result = []
    for row, (bundle, peer, limit) in ROWS.items():
        rounds = SHORT_ROUNDS if row in SHORT else ROUNDS
        peer = [lib.find_tool(peer[0]), *peer[1:], bundle]
        lanes = [lib.Lane(os.path.basename(peer[0]), peer, env),
                 lib.Lane("lsr", [lsr, "--no-cache", "-lR", bundle], env),
                 lib.Lane("lsr --io=sync", [lsr, "--no-cache", "--io=sync", "-lR", bundle], env)]
        result.append((row, limit, rounds, lanes))
        if row == "tar.gz":
            result.append(("tar.gz, second listing", 0.02, rounds,
                           [lanes[0], lib.Lane("lsr", [lsr, "-lR", bundle], env)]))
    # Not a loop of bash, which forks itself for each bundle: busybox starts programs by vfork(), as a program would that calls the lister.
    each = [lib.find_tool("busybox"), "xargs", "-n", "1", "-a", "many.list"]
    result.append((f"{many:,} small tar.gz", 0.45, ROUNDS,
                   [lib.Lane("bsdtar", [*each, lib.find_tool("bsdtar"), "-tvf"], env),
                    lib.Lane("lsr", [*each, lsr, "--no-cache", "-lR"], env)]))
    return result


def measure(job):
    args, scratch = job.args, job.scratch
    tree, many = (QUICK_TREE, QUICK_MANY) if job.quick and args.tree == TREE else (args.tree, MANY)
    job.facts["tree"] = tree
    for name, *argv in (("bsdtar",), ("unzip", "unzip", "-v"), ("sqlite3",)):
        job.version(name, *argv)
    pack(tree, scratch, many)
    sizes = [p.stat().st_size for p in (scratch / "many").iterdir()]
    job.facts.update({"small": f"{len(sizes)}", "small median": f"{lib.median(sizes):.0f}", "small most": f"{max(sizes)}"})
    rows = []
    # Not the C locale: bsdtar shows no names of a 7z that are not ASCII in it, and fails.
    for row, limit, rounds, lanes in lanes_of(job.lsr, scratch, many, job.shell_env()):
        for lane in lanes:
            out, _ = lib.capture(lane, scratch)
            job.commands.append(f"# {row}: {len(out.splitlines()):,} lines\n{lane.shell_line()}")
        warm(sorted((scratch / "many").iterdir()) if "small" in row else [scratch / lanes[0].argv[-1]])
        raw = job.dir / f"{lib.slug(row)}.tsv"
        lib.race(lanes, raw, scratch, 3 if job.quick else max(rounds, args.rounds), 1)
        runs = lib.read_race(raw)
        base = lib.median(runs[lanes[0].label]["wall_ns"])
        lib.say(row, *(f"{lane.label} {lib.median(runs[lane.label]['wall_ns']) / base:.3f}" for lane in lanes))
        size = os.path.getsize(scratch / lanes[0].argv[-1]) if os.path.exists(scratch / lanes[0].argv[-1]) else 0
        for lane in lanes:
            run = runs[lane.label]
            wall = lib.median(run["wall_ns"])
            cpu = lib.median([u + s for u, s in zip(run["user_us"], run["sys_us"])])
            verdict = lib.verdict(wall / base <= limit) if lane.label == "lsr" else ""
            rows.append([row, lane.label, f"{size / 1e6:,.1f}" if size else "", f"{wall / 1e6:.2f}", f"{cpu / 1e3:.2f}",
                         f"{lib.median(run['maxrss_kib']):.0f}", f"{wall / base:.3f}",
                         f"{limit}" if lane.label == "lsr" else "", verdict])
    tables = lib.table(["bundle", "command", "MB", "wall ms", "CPU ms", "max RSS KiB", "ratio", "limit", ""], rows)
    (job.dir / "tables.md").write_text(tables)


def render(run):
    body = (f"Medians of interleaved runs, warm cache (each bundle is read from the disk once before its row), output to a pipe. The tree is `{run.facts['tree']}`, packed by GNU tar, "
            "gzip, zstd, zip, sqlite3, 7z and xorriso. lsr runs with `--no-cache` but in the row of the second listing. "
            "CPU and memory of lsr are those of the process that prints and not of its worker. "
            f"The {int(run.facts['small']):,} small bundles hold {MANY_FILES} files each, of those of the tree with at most "
            f"{MANY_FILE_MAX >> 10} KiB: {int(run.facts['small median']) / 1e3:,.0f} kB in the median, {int(run.facts['small most']) / 1e3:,.0f} "
            "the largest; each is listed by a process of its own, started by busybox's xargs.\n\n")
    return "Listing bundles", body + (run.path / "tables.md").read_text(), {}


def run(args):
    return lib.run_verb("bundles", args, measure, render)
