"""corpus - 104,000 small files against bundles of them: what reading every byte costs

    corpus-make -> lsr --compare --each, warm and cold -> corpus-read, the ways that it lacks -> the page

`lsr --compare` packs, reads, traces and checks digests by itself; its JSON is kept in the run
as it came.  corpus-read is a program of its own, so its rows have a base of their own.
"""
import json
import os
import subprocess
import time

import lib
import picture

SUMMARY = "104,000 source-like files, one by one and as bundles: tar, gzip, zstd, lz4, zip, sqlar"

FILES, PACKAGES, BYTES, SEED = 104_000, 1_351, 1_130_000_000, 1
QUICK = 3_000, 39, 32_600_000
RUNS = {"warm": 3, "cold": 3}
QUICK_RUNS = 2
READ_ROUNDS = 7
LIMIT_S = 900

READERS = {
    "close": "open, read, close, into one buffer",
    "open": "without close: descriptors are left to the end of the process, or a close_range() for all when no more are allowed",
    "keep": "closed, every content kept in memory",
    "wrapper": "open and kept, in a worker; the wrapper ends when the worker has read all, the kernel cleans up behind it",
    "lz4": "one tar.lz4 a package, decoded by liblz4",
}
# modulovalue.com/blog/syscall-overhead-tar-gz-io-performance (January 2026)
PUBLISHED = [["read one by one", "14,525", "17,493", "1.13 GB"], ["1,351 tar.gz", "339", "7,713", "169 MB"],
             ["ratio", "42.85", "2.27", "6.66"]]


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--files", type=int, help=f"in all (default: {FILES:,})")
    parser.add_argument("--packages", type=int, help=f"directories that hold them (default: {PACKAGES:,})")
    parser.add_argument("--bytes", type=int, help=f"in all files (default: {BYTES:,})")


def make_corpus(path, files, packages, size, seed=SEED):
    """The tree, and how long making it took."""
    path.mkdir()
    start = time.time()
    made = subprocess.run([str(lib.compile_c("corpus-make", "-lm")), str(path), str(files), str(packages), str(size), str(seed)],
                          stderr=subprocess.PIPE, text=True)
    if made.returncode != 0:
        raise lib.BenchError(made.stderr.strip() or f"corpus-make: exit status {made.returncode}")
    subprocess.run(["sync"], check=True)
    return time.time() - start


def compare(job, tree, name, options):
    """lsr --compare, its JSON into the run."""
    argv = [job.lsr, "--compare", str(tree), "--json", *options]
    lane = lib.Lane(f"compare, {name}", argv, {**job.shell_env(), "TMPDIR": str(job.scratch)})
    job.note("every way of lsr", [lane])
    done = subprocess.run(argv, cwd=job.scratch, env=lane.env, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S)
    try:
        ways = json.loads(done.stdout)["ways"]
    except (ValueError, KeyError):
        said = done.stderr.decode(errors="replace").strip()[-300:]
        raise lib.BenchError(f"lsr --compare: exit status {done.returncode}: {said}") from None
    (job.dir / f"compare-{name}.json").write_bytes(done.stdout)
    for way in ways:
        if way["error"] or way["differs"]:
            raise lib.BenchError(f"lsr --compare: {way['name']}: {way['error'] or 'read something else than the files'}")


def read_apart(job, tree, bundles):
    """The ways of corpus-read.  A pause lets the kernel finish with what a wrapper left behind."""
    program = str(lib.compile_c("corpus-read", "-llz4"))
    lanes = [lib.Lane(way, [program, way, str(bundles if way == "lz4" else tree)], {}) for way in READERS]
    found = {lane.label: lib.capture(lane, job.scratch)[0] for lane in lanes}
    for label, text in found.items():
        if text != found["close"]:
            raise lib.BenchError(f"corpus-read {label} read something else: {text.decode().strip()}")
    job.note("ways of bench/corpus-read.c", lanes)
    rounds = QUICK_RUNS if job.quick else READ_ROUNDS
    lib.race_apart(lanes, job.dir / "read-warm.tsv", job.scratch, rounds, lambda: time.sleep(0.5))
    rows = [{"cache": "warm", **r} for r in lib.summarize(lib.read_race(job.dir / "read-warm.tsv"), "close").values()]
    if lib.can_drop_caches():
        rounds = QUICK_RUNS if job.quick else RUNS["cold"]
        lib.race_cold(lanes, job.dir / "read-cold.tsv", job.scratch, rounds)
        rows += [{"cache": "cold", **r} for r in lib.summarize(lib.read_race(job.dir / "read-cold.tsv"), "close").values()]
    counts = {lane.label: lib.count_syscalls(lane, job.scratch) for lane in lanes}
    (job.dir / "strace.txt").write_text("\n".join(f"== {label}\n{text}" for label, (_, text) in counts.items()))
    for r in rows:
        r["syscalls"], r["names"] = counts[r["lane"]][0], lib.syscall_names(counts[r["lane"]][1])
    lib.write_tsv(job.dir / "read.tsv", rows)


def tree_facts(tree):
    sizes, allocated = [], 0
    for at, _, files in os.walk(tree):
        for name in files:
            s = os.stat(os.path.join(at, name))
            sizes.append(s.st_size)
            allocated += s.st_blocks * 512
    return {"files": f"{len(sizes)}", "bytes": f"{sum(sizes)}", "allocated": f"{allocated}",
            "sizes": ", ".join(f"{name} {lib.quantile(sizes, q):,.0f}" for name, q in
                               (("least", 0), ("quarter", .25), ("median", .5), ("three quarters", .75), ("99 %", .99), ("most", 1)))}


def measure(job):
    args = job.args
    files, packages, size = (a or d for a, d in zip((args.files, args.packages, args.bytes),
                                                    QUICK if job.quick else (FILES, PACKAGES, BYTES)))
    tree, bundles = job.scratch / "corpus", job.scratch / "lz4"
    took = make_corpus(tree, files, packages, size)
    job.facts.update({"packages": f"{packages}", "seed": f"{SEED}", "making them": f"{took:.1f} s", **tree_facts(tree)})
    lib.say(f"{files:,} files made in {took:.1f} s")
    bundles.mkdir()
    lib.sh(f"{job.lsr} --pack --each --no-verify --bundle-format=tar.lz4 {tree} --output={bundles}", job.scratch)
    job.facts["lz4 bytes"] = f"{sum(f.stat().st_size for f in bundles.iterdir())}"
    read_apart(job, tree, bundles)
    for cache, runs in RUNS.items():
        if cache == "warm" or lib.can_drop_caches():
            lib.say(f"lsr --compare, {cache}")
            compare(job, tree, cache, ["--each", f"--runs={QUICK_RUNS if job.quick else runs}", *(["--cold"] if cache == "cold" else [])])


def member_ms(way):
    return way["median"]["total_ns"] / 1e6 / max(way["members"], 1)


def compare_table(ways, random=False):
    """Of random reads, slow ways have had time for fewer members; so what one of them took is shown."""
    rows = []
    for w in ways:
        m = w["median"]
        rows.append([w["name"], *([f"{w['members']:,}", lib.ms(member_ms(w))] if random else []), f"{w['files']:,}", f"{w['apparent_bytes'] / 1e6:,.1f}", f"{w['allocated_bytes'] / 1e6:,.1f}",
                     "not counted" if w["syscalls"] is None else f"{w['syscalls']:,}", f"{m['ring_ops']:,}",
                     lib.ms(m["io_ns"] / 1e6), lib.ms(m["decode_ns"] / 1e6), lib.ms(m["total_ns"] / 1e6),
                     f"{lib.ms(w['total_min_ns'] / 1e6)}–{lib.ms(w['total_max_ns'] / 1e6)}",
                     lib.ms((m["user_ns"] + m["system_ns"]) / 1e6), f"{m['peak_bytes'] / 1e6:,.1f}", f"{m['device_bytes'] / 1e6:,.1f}",
                     "" if w["speedup"] is None else f"{w['speedup']:.3g}", "" if not w["pack_ns"] else lib.ms(w["pack_ns"] / 1e6),
                     "" if w["pays_after_reads"] is None else f"{w['pays_after_reads']:,}"])
    return lib.table(["way", *(["members", "ms a member"] if random else []), "files", "MB", "MB allocated", "system calls", "ring operations", "I/O ms", "decode ms", "total ms",
                      "least–most", "CPU ms", "peak MB", "device MB", "speed-up", "pack ms", "pays after reads"], rows)


def targets(results):
    """LSR1, the tar.zst, against files and against tar.gz; in each state of the cache."""
    rows = []
    for cache, result in results.items():
        ways = {w["name"]: w["median"] for w in result["ways"]}
        files, lsr1, gz = ways["files, sync"], ways["tar.zst"], ways["tar.gz"]
        faster, of_gz = files["io_ns"] / max(lsr1["io_ns"], 1), lsr1["total_ns"] / gz["total_ns"]
        rows += [[f"I/O, {cache}: files one by one ÷ LSR1", "at least 4", f"{faster:.2f}", lib.verdict(faster >= 4)],
                 [f"total, {cache}: LSR1 ÷ tar.gz", "below 1", f"{of_gz:.3f}", lib.verdict(of_gz < 1)]]
    return lib.table(["target", "limit", "measured", ""], rows)


def render(run):
    f = run.facts
    files, size = int(f["files"]), int(f["bytes"])
    out = [f"""{files:,} files of {size / 1e6:,.1f} MB in all ({int(f['allocated']) / 1e6:,.1f} MB allocated) in {int(f['packages']):,} package directories, made by
`bench/corpus-make.c` from the seed {f['seed']} in {f['making them']}: sizes are log-normal ({f['sizes']} bytes), the text compresses like source.
Every way reads every byte; all digests are equal.
"""]
    pictures = {}
    results = {cache: json.loads((run.path / f"compare-{cache}.json").read_text())
               for cache in RUNS if run.has(f"compare-{cache}.json")}
    out.append(targets(results))
    for cache, result in results.items():
        ways = result["ways"]
        out += [f"## `lsr --compare --each`, {cache}\n",
                f"One bundle per package. {len(ways[0]['runs'])} runs of each way in turns, medians, each in a process of its own; system calls are "
                "from a separate, traced run. I/O is time in calls that open, read, wait and close; decoding may overlap with it. "
                f"A null system call took {result['facts'].get('null syscall', 'an unknown time')} here.\n",
                compare_table(ways), result["words"].strip() + "\n", lib.picture("corpus", cache, f"I/O and decode time, {cache}")]
        rows = []
        for w in ways:
            m = w["median"]
            rest = max(m["total_ns"] - m["io_ns"] - m["decode_ns"], 0)
            rows.append((w["name"], [m["io_ns"] / 1e6, m["decode_ns"] / 1e6, rest / 1e6]))
        pictures[cache] = picture.bars(f"Reading {files:,} files, {cache}", rows, "ms", ("I/O", "decode", "the rest"))
    rows = sorted(run.tsv("read.tsv"), key=lambda r: (list(RUNS).index(r["cache"]), list(READERS).index(r["lane"])))
    out += ["\n## What else was proposed\n",
            "Measured by `bench/corpus-read.c` with one thread and plain calls; ratios are to its own first row. Times end when the started process "
            f"ends. The bundles of tar.lz4 are {int(f['lz4 bytes']) / 1e6:,.1f} MB in all.\n",
            lib.table(["way", "", "wall ms", "least–most", "ratio (95 %)", "user ms", "system ms", "peak MB", "system calls", "most frequent"],
                      [[f"{r['lane']}, {r['cache']}", READERS[r["lane"]], lib.ms(r["wall_median_ms"]),
                        f"{lib.ms(r['wall_min_ms'])}–{lib.ms(r['wall_max_ms'])}",
                        f"{float(r['ratio_close']):.3f} ({float(r['ratio_close_low']):.3f}–{float(r['ratio_close_high']):.3f})",
                        lib.ms(r["user_ms"]), lib.ms(r["sys_ms"]), f"{int(r['maxrss_kib']) * 1024 / 1e6:,.1f}",
                        f"{int(r['syscalls']):,}", r["names"]] for r in rows], texts=2),
            "CPU of `wrapper` does not include its worker, which nothing waits for.\n",
            "## Published\n",
            "<https://modulovalue.com/blog/syscall-overhead-tar-gz-io-performance>: 104,000 Dart files of a package cache, 1.13 GB, and the same as "
            "1,351 tar.gz, on a MacBook (macOS, ARM64) with an NVMe drive; milliseconds. The total includes lexing (2.8 s), and for the archives "
            "decompression. The state of the caches and the file system are not named.\n",
            lib.table(["published", "I/O ms", "total ms", "size"], PUBLISHED)]
    return "104,000 files", "\n".join(out), pictures


def run(args):
    partial = "another corpus" if args.files or args.packages or args.bytes else ""
    return lib.run_verb("corpus", args, measure, render, partial)
