"""cores - the same work on 1, 2, 4 and 8 threads

A machine with many cores must not be slower than one with two.  Who has two cores can tell what too many threads cost:
each work runs with --threads=1, 2, 4 and 8, side by side, and prints the same.
"""
import hashlib
import os

import dirs
import lib

SUMMARY = "lsr with 1, 2, 4 and 8 threads"

THREADS = [1, 2, 4, 8]
FILES, QUICK_FILES = 10_000, 1000
TREE, QUICK_TREE = "/usr/share", "/usr/include/linux"
ROUNDS, QUICK_ROUNDS = 15, 3
LIMIT = 1.15  # more threads than two, as a part of two


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--rounds", type=int, default=ROUNDS)


def make(job):
    """What is listed, and the works: name -> arguments."""
    tree, scratch = QUICK_TREE if job.quick else TREE, job.scratch
    dirs.make_directory(scratch / "files", QUICK_FILES if job.quick else FILES, "fresh")
    parent, name = os.path.split(tree)
    lib.sh(f"tar -C {parent} --sort=name -cf tree.tar {name}; gzip -k tree.tar; zstd -q -k tree.tar", scratch)
    lib.sh(f"cd {parent} && sqlite3 -A -cf {scratch}/tree.sqlar {name}", scratch)
    lib.sh(f"{job.lsr} --pack --no-verify {tree} --output=own.tar.zst", scratch)
    for bundle in "tree.tar.gz", "tree.tar.zst", "tree.sqlar", "own.tar.zst":
        lib.sh(f"cat {bundle} >/dev/null", scratch)
    job.facts.update({"tree": tree, "files": f"{QUICK_FILES if job.quick else FILES}"})
    bundles = ["--no-cache", "-lR"]
    return {
        "a directory": ["-al", "files"],
        "a directory, --io=threads": ["-al", "--io=threads", "files"],
        "a directory, --acl": ["-l", "--acl", "files"],
        "a tree, -lR": ["-lR", tree],
        "a tree, --tree -l": ["--tree", "-l", tree],
        "tar.gz": [*bundles, "tree.tar.gz"],
        "tar.zst": [*bundles, "tree.tar.zst"],
        "sqlar": [*bundles, "tree.sqlar"],
        "tar.gz, check": ["--check", "tree.tar.gz"],
        "tar.zst of lsr, check": ["--check", "own.tar.zst"],
        "pack": ["--pack", "--no-verify", "--force", tree, "--output=out.tar.zst"],
    }


def measure(job):
    rounds, summary = QUICK_ROUNDS if job.quick else job.args.rounds, []
    for name, argv in make(job).items():
        lib.say(name)
        lanes = [lib.Lane(f"{n}", [job.lsr, f"--threads={n}", *argv], {"LC_ALL": "C.UTF-8"}) for n in THREADS]
        job.note(name, lanes)
        outputs = {hashlib.sha256(lib.capture(lane, job.scratch)[0]).hexdigest() for lane in lanes}
        if len(outputs) > 1:
            raise lib.BenchError(f"{name}: the number of threads changes what is printed")
        raw = job.dir / f"{lib.slug(name)}.tsv"
        lib.race(lanes, raw, job.scratch, rounds, 1)
        rows = lib.summarize(lib.read_race(raw), "2")
        summary += [{"work": name, "threads": n, **rows[f"{n}"]} for n in THREADS]
    lib.write_tsv(job.dir / "summary.tsv", summary)


def render(run):
    cell = {(r["work"], int(r["threads"])): r for r in run.tsv("summary.tsv")}
    rows = []
    for work in dict.fromkeys(work for work, _ in cell):
        most = max(float(cell[work, n]["ratio_2"]) for n in THREADS if n > 2)
        rows.append([work, *(f"{lib.ms(cell[work, n]['wall_median_ms'])} ({float(cell[work, n]['ratio_2']):.2f})" for n in THREADS),
                     *(lib.ms(cell[work, n]["cpu_ms"]) for n in THREADS), lib.verdict(most <= LIMIT)])
    return "Threads", (
        f"`lsr --threads=N` for N of 1, 2, 4 and 8, whatever the machine has: {run.facts['files']} files in a directory, and "
        f"`{run.facts['tree']}` as it is and packed. Medians of interleaved runs, warm cache, ms, and in brackets the ratio to two "
        "threads; CPU is that of the main process, without the parser's. Each printed the same with any number. More threads than "
        f"two shall take {LIMIT} of two at most.\n\n"
        + lib.table(["", *(f"wall, {n}" for n in THREADS), *(f"CPU, {n}" for n in THREADS), ""], rows)), {}


def run(args):
    return lib.run_verb("cores", args, measure, render)
