"""against - two binaries of lsr on the same work: did a change cost anything?

A ratio to a peer moves by a tenth between two sittings on a shared machine.  Two binaries that take turns in one
sitting do not: what is left is what the code costs.  System calls and instructions are counted beside the time,
since they hardly depend on the machine at all.
"""
import os
import shutil

import bundles
import dirs
import lib

SUMMARY = "this lsr against another one (--base), command by command"
LIMIT = 1.05
TREE = "/usr/share"
PACKED = "/usr/share/doc"
QUICK_TREE = "/usr/include/linux"
SIZES = [10, 1000, 10000]

# Commands that end within so many ms run so often.
ROUNDS = [(5, 300), (50, 80), (500, 24), (float("inf"), 12)]
QUICK_ROUNDS = 5
INSTRUCTIONS_MS = 200  # valgrind is some fifty times slower

# label: arguments behind the program, in the scratch directory; what --pack writes is called out
LISTINGS = {
    "-al, {n} files": ["-al", "n{n}"],
    "-al, {n} files, threads": ["--io=threads", "-al", "n{n}"],
    "-f, {n} files": ["-f", "n{n}"],
}
COMMANDS = {
    "-lR, tree": ["-lR", "{tree}"],
    "-R1A, tree": ["-R1A", "{tree}"],
    "--tree, tree": ["--tree", "{tree}"],
    "--json -R, tree": ["--json", "-R", "{packed}"],
    "-lR, tar": ["--no-cache", "-lR", "b.tar"],
    "-lR, tar.gz": ["--no-cache", "-lR", "b.tar.gz"],
    "-lR, tar.zst": ["--no-cache", "-lR", "b.tar.zst"],
    "-lR, tar.zst with an index": ["--no-cache", "-lR", "b.lsr.tar.zst"],
    "-lR, zip": ["--no-cache", "-lR", "b.zip"],
    "-lR, sqlar": ["--no-cache", "-lR", "b.sqlar"],
    "-lR, zip of ten": ["--no-cache", "-lR", "ten.zip"],
    "-lR, tar.gz of ten": ["--no-cache", "-lR", "ten.tar.gz"],
    "tables of a database": ["--no-cache", "app.db"],
    "one row of a database": ["--no-cache", "--cat", "app.db/log/1000"],
    "--check, tar": ["--check", "b.tar"],
    "--check, tar.zst with an index": ["--check", "b.lsr.tar.zst"],
    "--check, zip": ["--check", "b.zip"],
    "--check, sqlar": ["--check", "b.sqlar"],
    "--cat, last of a tar.gz": ["--cat", "b.tar.gz/{last}"],
    "--cat, last of an index": ["--cat", "b.lsr.tar.zst/{last}"],
    "--pack, tar": ["--pack", "--force", "--no-verify", "--output=out.tar", "{packed}"],
    "--pack, tar.zst with an index": ["--pack", "--force", "--no-verify", "--output=out.tar.zst", "{packed}"],
    "--pack, the same verified": ["--pack", "--force", "--output=out.tar.zst", "{packed}"],
    "--pack, zip": ["--pack", "--force", "--no-verify", "--output=out.zip", "{packed}"],
    "--pack, sqlar": ["--pack", "--force", "--no-verify", "--output=out.sqlar", "{packed}"],
}


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--base", metavar="BINARY", help="the lsr to compare with")
    parser.add_argument("--base-commit", default="unknown", metavar="TEXT", help="what it was built from, for the page")


def make_bundles(base, packed, scratch):
    parent, name = os.path.split(os.path.realpath(packed))
    lib.sh(f"tar -C {parent} --sort=name -cf b.tar {name}; gzip -k b.tar; zstd -q -k b.tar", scratch)
    lib.sh(f"cd {parent} && zip -q -r -y {scratch}/b.zip {name} && sqlite3 -A -cf {scratch}/b.sqlar {name}", scratch)
    lib.sh(f"{base} --pack --no-verify --output=b.lsr.tar.zst {packed}", scratch)
    lib.sh("mkdir ten; for i in 0 1 2 3 4 5 6 7 8 9; do echo $i >ten/$i; done; zip -q -r ten.zip ten; tar -czf ten.tar.gz ten",
           scratch)
    last = [line for line in lib.sh("tar -tf b.tar", scratch).splitlines() if not line.endswith("/")][-1]
    lib.sh("touch -d '1 hour ago' b.* ten.* app.db", scratch)
    bundles.warm(sorted(p for p in scratch.iterdir() if p.is_file()))
    return last


def rounds_of(ms, quick):
    return QUICK_ROUNDS if quick else next(rounds for most, rounds in ROUNDS if ms < most)


def measure_row(label, argv, base, job):
    lanes = [lib.Lane("base", [base, *argv], job.shell_env()), lib.Lane("lsr", [job.lsr, *argv], job.shell_env())]
    job.note(label, lanes)
    raw = job.dir / f"{lib.slug(label)}.tsv"
    lib.race(lanes, raw, job.scratch, 3, 1)
    ms = lib.median(lib.read_race(raw)["lsr"]["wall_ns"]) / 1e6
    lib.race(lanes, raw, job.scratch, rounds_of(ms, job.quick), 1)
    rows = lib.summarize(lib.read_race(raw), "base")
    calls = {lane.label: lib.count_syscalls(lane, job.scratch)[0] for lane in lanes}
    instructions = {lane.label: lib.count_instructions(lane, job.scratch) if ms < INSTRUCTIONS_MS and not job.quick else None
                    for lane in lanes}
    now = rows["lsr"]
    lib.say(f"{label}: {now['ratio_base']} ({now['ratio_base_low']} to {now['ratio_base_high']})")
    return {"command": label, "runs": now["runs"], "base_ms": rows["base"]["wall_median_ms"], "ms": now["wall_median_ms"],
            "ratio": now["ratio_base"], "low": now["ratio_base_low"], "high": now["ratio_base_high"],
            "base_calls": calls["base"], "calls": calls["lsr"],
            "base_instructions": instructions["base"] or "", "instructions": instructions["lsr"] or ""}


def measure(job):
    if not job.args.base:
        raise lib.BenchError("--base names the binary to compare with")
    base = str(job.scratch / "bin" / "base")
    shutil.copy2(job.args.base, base)
    tree, packed = (QUICK_TREE, QUICK_TREE) if job.quick else (TREE, PACKED)
    job.facts.update({"tree": tree, "packed": packed})
    job.versions["base"] = f"{job.args.base_commit}, sha256 {lib.sha256(base)[:16]}"
    bundles.make_database(job.scratch, 10_000)
    last = make_bundles(base, packed, job.scratch)
    commands = {}
    for n in SIZES:
        dirs.make_directory(job.scratch / f"n{n}", n, "fresh")
        commands |= {label.format(n=f"{n:,}"): [word.format(n=n) for word in argv] for label, argv in LISTINGS.items()}
    commands |= {label: [word.format(tree=tree, packed=packed, last=last) for word in argv] for label, argv in COMMANDS.items()}
    rows = [measure_row(label, argv, base, job) for label, argv in commands.items()]
    lib.write_tsv(job.dir / "summary.tsv", rows)


def part(now, base):
    return f"{int(now) / int(base):.3f}" if base else ""


def render(run):
    rows = [[r["command"], r["runs"], lib.ms(r["base_ms"]), lib.ms(r["ms"]), f"{float(r['ratio']):.3f}",
             f"{float(r['low']):.3f} to {float(r['high']):.3f}", f"{int(r['base_calls']):,}", f"{int(r['calls']):,}",
             part(r["instructions"], r["base_instructions"]),
             "" if float(r["ratio"]) <= LIMIT else "**above**" if float(r["low"]) > LIMIT else "above, not decided"]
            for r in run.tsv("summary.tsv")]
    body = (f"Two binaries of lsr take turns, warm cache, output to a pipe: *base* is {run.versions['base']}. The tree is "
            f"`{run.facts['tree']}`; what is packed and what the bundles hold is `{run.facts['packed']}`. Ratios are of medians, "
            "with a bootstrap interval of 95 %. System calls are those of all threads and processes, by strace; instructions are "
            f"those of the process that prints, by callgrind, for commands of less than {INSTRUCTIONS_MS} ms. A ratio above "
            f"{LIMIT} is marked, and decided if the whole interval is.\n\n")
    return "This lsr against an earlier one", body + lib.table(
        ["command", "runs", "base, ms", "lsr, ms", "ratio", "interval", "calls, base", "calls, lsr", "instructions", ""], rows), {}


def run(args):
    return lib.run_verb("against", args, measure, render)
