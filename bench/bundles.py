"""bundles - listing archives and databases against the tools that made them

One real tree, packed by the stock tools; `lsr -lR` of each bundle against the tool that
people use for it.  Caches of listings are off but in the row that measures them.
"""
import os
import pathlib
import subprocess
import sys

import dirs
import lib

SUMMARY = "listing bundles, against bsdtar, unzip and sqlite3"
PAGE = lib.REPO / "docs" / "bench-bundles.md"

ROUNDS = 11
SMALL_ROUNDS = 41
MANY = 1000  # small bundles
MANY_FILES = 50

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
    parser.add_argument("--lsr", default=str(lib.REPO / "build" / "release" / "lsr"), help="the binary")
    parser.add_argument("--label", help="name of the run's directory, behind the date")
    parser.add_argument("--tree", default="/usr/share", help="what is packed")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="few rounds; prints the page, writes nothing")
    parser.add_argument("--scratch", default="/tmp", help="where the bundles are made")


def sh(command, cwd):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise lib.BenchError(f"{command}: {done.stderr.strip()[-400:]}")


def pack(tree, scratch):
    """The bundles, all of the same tree; sparse device files and sockets are no part of such a tree."""
    parent, name = os.path.split(os.path.realpath(tree))
    sh(f"tar -C {parent} --sort=name -cf tree.tar {name}", scratch)
    sh("gzip -k tree.tar; zstd -q -k tree.tar", scratch)
    sh(f"cd {parent} && zip -q -r -y {scratch}/tree.zip {name}", scratch)
    sh(f"cd {parent} && sqlite3 -A -cf {scratch}/tree.sqlar {name}", scratch)
    sh(f"cd {parent} && 7z a -bd -bso0 -mx=1 {scratch}/tree.7z {name}", scratch)
    sh(f"xorriso -as mkisofs -quiet -R -o tree.iso {parent}/{name}", scratch)
    sh("mkdir ten; for i in 0 1 2 3 4 5 6 7 8 9; do echo $i >ten/$i; done; zip -q -r ten.zip ten; tar -czf ten.tar.gz ten",
       scratch)
    (scratch / "many").mkdir()
    files = [str(p) for p in sorted(pathlib.Path(tree).rglob("*")) if p.is_file() and not p.is_symlink()]
    for i in range(MANY):
        part = files[i * MANY_FILES % max(1, len(files) - MANY_FILES):][:MANY_FILES]
        with open(scratch / "list", "w") as out:
            out.write("\0".join(part))
        sh(f"tar -C / --null -P -T list -czf many/{i:04}.tar.gz", scratch)
    # Bundles that changed within the last seconds are not remembered.
    sh("touch -d '1 hour ago' tree.* ten.* many/*; sleep 3; cat tree.* >/dev/null", scratch)


def lanes_of(lsr, scratch):
    """[(row, limit, rounds, lanes)], the peer first."""
    # Not the C locale: bsdtar shows no names of a 7z that are not ASCII in it, and fails.
    env = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "HOME": str(scratch), "XDG_CACHE_HOME": str(scratch / "cache")}
    result = []
    for row, (bundle, peer, limit) in ROWS.items():
        rounds = SMALL_ROUNDS if "entries" in row else ROUNDS
        peer = [lib.find_tool(peer[0]), *peer[1:], bundle]
        lanes = [lib.Lane(os.path.basename(peer[0]), peer, env),
                 lib.Lane("lsr", [lsr, "--no-cache", "-lR", bundle], env),
                 lib.Lane("lsr --io=sync", [lsr, "--no-cache", "--io=sync", "-lR", bundle], env)]
        result.append((row, limit, rounds, lanes))
        if row == "tar.gz":
            result.append(("tar.gz, second listing", 0.02, rounds,
                           [lanes[0], lib.Lane("lsr", [lsr, "-lR", bundle], env)]))
    loop = 'for f in many/*; do "$@" "$f" >/dev/null; done'
    peer, bash = lib.find_tool("bsdtar"), lib.find_tool("bash")
    result.append((f"{MANY:,} small tar.gz", 0.45, ROUNDS,
                   [lib.Lane("bsdtar", [bash, "-c", loop, "x", peer, "-tvf"], env),
                    lib.Lane("lsr", [bash, "-c", loop, "x", lsr, "--no-cache", "-lR"], env)]))
    return result


def measure(args, scratch, run_dir):
    lsr, _ = dirs.place_lsr(args.lsr, scratch)
    facts = lib.machine_facts(scratch)
    facts["tree"] = args.tree
    lib.write_facts(run_dir / "machine.txt", facts)
    versions = lib.version_facts("/usr/bin/ls", lib.find_tool("busybox"), lsr)
    for name, argv in (("bsdtar", ["bsdtar", "--version"]), ("unzip", ["unzip", "-v"]), ("sqlite3", ["sqlite3", "--version"])):
        versions[name] = lib.first_line(*argv)
    lib.write_facts(run_dir / "versions.txt", versions)
    pack(args.tree, scratch)
    commands, rows = [], []
    for row, limit, rounds, lanes in lanes_of(lsr, scratch):
        for lane in lanes:
            out, _ = lib.capture(lane, scratch)
            commands.append(f"# {row}: {len(out.splitlines()):,} lines\n{lane.shell_line()}")
        raw = run_dir / f"{lib.slug(row)}.tsv"
        lib.race(lanes, raw, scratch, 3 if args.quick else max(rounds, args.rounds), 1)
        runs = lib.read_race(raw)
        base = lib.median(runs[lanes[0].label]["wall_ns"])
        print(row, *(f"{lane.label} {lib.median(runs[lane.label]['wall_ns']) / base:.3f}" for lane in lanes), file=sys.stderr)
        size = os.path.getsize(scratch / lanes[0].argv[-1]) if os.path.exists(scratch / lanes[0].argv[-1]) else 0
        for lane in lanes:
            run = runs[lane.label]
            wall = lib.median(run["wall_ns"])
            cpu = lib.median([u + s for u, s in zip(run["user_us"], run["sys_us"])])
            verdict = "" if lane.label != "lsr" else ("reached" if wall / base <= limit else "**not reached**")
            rows.append([row, lane.label, f"{size / 1e6:,.1f}" if size else "", f"{wall / 1e6:.2f}", f"{cpu / 1e3:.2f}",
                         f"{lib.median(run['maxrss_kib']):.0f}" if "maxrss_kib" in run else "",
                         f"{wall / base:.3f}", f"{limit}" if lane.label == "lsr" else "", verdict])
    (run_dir / "commands.txt").write_text("\n".join(commands) + "\n")
    tables = lib.table(["bundle", "command", "MB", "wall ms", "CPU ms", "max RSS KiB", "ratio", "limit", ""], rows)
    (run_dir / "tables.md").write_text(tables)
    return tables


def run(args):
    parent = lib.BUILD / "runs" if args.quick else lib.RUNS
    label = args.label or f"{lib.default_label()}-bundles"
    with lib.RunDir(parent, label) as run_dir, lib.scratch_dir(args.scratch) as scratch:
        tables = measure(args, scratch, run_dir.path)
    facts = lib.read_facts(run_dir.final / "machine.txt")
    page = (f"# Listing bundles\n\nWritten by `./dev bench bundles` from `{os.path.relpath(run_dir.final, lib.REPO)}` "
            f"({facts['cpu']}, {facts['cpus']}, {facts['kernel'].split(' #')[0]}, {facts['file system']}); medians of "
            f"interleaved runs, warm cache, output to a pipe. The tree is `{args.tree}`, packed by GNU tar, gzip, zstd, "
            "zip, sqlite3, 7z and xorriso. lsr runs with `--no-cache` but in the row of the second listing. "
            "CPU and memory of lsr are those of the process that prints and not of its worker.\n\n" + tables)
    if args.quick:
        print(page, end="")
    else:
        lib.write_whole(PAGE, page)
    return 0
