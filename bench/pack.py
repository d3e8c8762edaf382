"""pack - making bundles and reading them back, against the tools that people use

Runs take seconds and leave files behind; setting up before a run and cleaning up after it
are not timed.  Lanes take turns, in another order each round.

Calls and memory are those of a generated tree of small files.
"""
import collections
import os
import random
import re
import shlex
import subprocess

import bundles
import lib

SUMMARY = "packing, listing and unpacking, against tar with zstd or pigz, zip, 7z and sqlite3"

ROUNDS = 10
SLOW_ROUNDS = 3  # of rows whose peers take more than SLOW_S
SLOW_S = 8
USUAL_MIN = 10  # entries of a directory that counts as one
UNPACK_ROUNDS = 5  # what they leave stays until the row is done
NO_LIMIT = float("inf")  # of a lane of lsr that is measured and held to nothing
SMALL_FILES, SMALL_PER_DIR, SMALL_BYTES_MAX = 500_000, 100, 3000
CALLS_FILES, CALLS_LIMIT = 50_000, 0.1  # of tar's
MEMORY_LIMIT_MIB = 200
NEWER_THAN_STRACE = {"syscall_0x1d1": "listxattrat"}


def add_options(parser):
    bundles.add_options(parser)


def rows(lsr, tree, small, of_largest):
    """[(row, cold, size limit, [(lane, limit, shell command, output, what to clear)])], the peers first."""
    parent, name = os.path.split(os.path.realpath(tree))
    pack = f"{lsr} --pack {tree}"
    tar = f"tar -C {parent}"
    lsr1 = f"{tar} -I 'zstd -T0 -3' -cf peer.tar.zst {name}"
    return [
        ("LSR1, warm", False, 1.03, [
            ("tar, zstd -T0 -3", None, lsr1, "peer.tar.zst"),
            ("lsr --no-verify", 0.90, f"{pack} --no-verify --output=own.tar.zst", "own.tar.zst"),
            ("lsr", 1.15, f"{pack} --output=own.tar.zst", "own.tar.zst")]),
        ("LSR1, cold", True, 1.03, [
            ("tar, zstd -T0 -3", None, lsr1, "peer.tar.zst"),
            ("lsr --no-verify", 0.80, f"{pack} --no-verify --output=own.tar.zst", "own.tar.zst")]),
        (".tar.gz", False, 1.02, [
            ("tar, pigz -6", None, f"{tar} -I 'pigz -6' -cf peer.tar.gz {name}", "peer.tar.gz"),
            ("lsr --no-verify", 0.70, f"{pack} --no-verify --output=own.tar.gz", "own.tar.gz"),
            ("lsr", NO_LIMIT, f"{pack} --output=own.tar.gz", "own.tar.gz")]),
        (".zip", False, 1.02, [
            ("7z -tzip -mx=5", None, f"cd {parent} && 7z a -bd -bso0 -tzip -mx=5 $OLDPWD/peer.zip {name}", "peer.zip"),
            ("zip -r", None, f"cd {parent} && zip -q -r -y $OLDPWD/peer2.zip {name}", "peer2.zip"),
            ("lsr --no-verify", 0.60, f"{pack} --no-verify --output=own.zip", "own.zip"),
            ("lsr", NO_LIMIT, f"{pack} --output=own.zip", "own.zip")]),
        (".sqlar", False, 1.02, [
            ("sqlite3 -A -cf", None, f"cd {parent} && sqlite3 -A -cf $OLDPWD/peer.sqlar {name}", "peer.sqlar"),
            ("lsr --no-verify", 0.40, f"{pack} --no-verify --output=own.sqlar", "own.sqlar"),
            ("lsr", NO_LIMIT, f"{pack} --output=own.sqlar", "own.sqlar")]),
        ("LSR1, list all", False, None, [
            ("bsdtar -tvf", None, "bsdtar -tvf keep.tar.zst", None),
            ("lsr -lR", 0.05, f"{lsr} --no-cache -lR keep.tar.zst", None)]),
        ("LSR1, list one directory", False, None, [
            ("bsdtar -tvf", None, "bsdtar -tvf keep.tar.zst", None),
            ("lsr -l", 0.005, f"{lsr} --no-cache -l keep.tar.zst/{os.path.dirname(small)}", None),
            ("lsr -l, the largest directory", NO_LIMIT,
             f"{lsr} --no-cache -l keep.tar.zst/{os.path.dirname(of_largest)}", None)]),
        ("LSR1, one small file", False, None, [
            ("tar --zstd -xOf", None, f"tar --zstd -xOf keep.tar.zst {small}", None),
            ("lsr --cat", 0.01, f"{lsr} --cat keep.tar.zst/{small}", None),
            ("lsr --cat, of the largest directory", NO_LIMIT, f"{lsr} --cat keep.tar.zst/{of_largest}", None)]),
        ("LSR1, unpack", False, None, [
            ("tar --zstd -xf", None, "tar --zstd -xf keep.tar.zst -C out", "out"),
            ("lsr --unpack", 0.80, f"{lsr} --unpack keep.tar.zst --output=out", "out")]),
    ]


def small_members(tree):
    """A small file of a directory of usual size, and one of the largest directory, as their bundle names them."""
    top = os.path.realpath(tree)
    found = []
    for at, names, files in os.walk(top):
        small = [f for f in sorted(files) if not os.path.islink(os.path.join(at, f)) and " " not in f and f.isascii()
                 and 0 < os.path.getsize(os.path.join(at, f)) < 20000]
        if small and len(names) + len(files) >= USUAL_MIN:
            found.append((len(names) + len(files), os.path.join(at, small[len(small) // 2])))
    found.sort()
    return [os.path.relpath(f, os.path.dirname(top)) for _, f in (found[len(found) // 2], found[-1])]


def clear(scratch, output):
    """Nothing of a run before is in the way.

    What was unpacked is put aside: ext4 does not give inodes away again that were freed in the last minutes, and
    searches among them for every file that is made, which takes longer than unpacking.
    """
    if output == "out":
        if any((scratch / "out").iterdir()):
            (scratch / "out").rename(scratch / f"old-{len(list(scratch.glob('old-*')))}")
            os.mkdir(scratch / "out")
        subprocess.run(["sync"], check=True)
    elif output and (scratch / output).exists():
        (scratch / output).unlink()


def write_tsv(path, rows):
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))


def race_row(lanes, raw, scratch, env, rounds):
    """(walls in ns, seconds of CPU) by lane, without a shell, whose start is longer than what some lanes take."""
    plan = []
    for label, _, command, _ in lanes:
        tool, *rest = shlex.split(command)
        plan.append(lib.Lane(label, [tool if os.path.isabs(tool) else lib.find_tool(tool), *rest], env))
    lib.race(plan, raw, scratch, rounds, 1)
    runs = lib.read_race(raw)
    return ({label: run["wall_ns"] for label, run in runs.items()},
            {label: [(u + s) / 1e6 for u, s in zip(run["user_us"], run["sys_us"])] for label, run in runs.items()})


def shell_row(lanes, raw, scratch, env, rounds, cold):
    """(walls, CPU, sizes of what was written, rounds that were made)"""
    order, rows_, sizes = random.Random(1), [], {}
    walls = {lane[0]: [] for lane in lanes}
    cpus = {lane[0]: [] for lane in lanes}
    turn = 0
    if any(output == "out" for *_, output in lanes):
        rounds = min(rounds, UNPACK_ROUNDS)
    while turn < rounds:
        for label, _, command, output in order.sample(lanes, len(lanes)):
            clear(scratch, output)
            wall, cpu = lib.timed_shell(command, scratch, env, cold)
            rows_.append([str(turn), label, str(wall), f"{cpu:.2f}"])
            walls[label].append(wall)
            cpus[label].append(cpu)
            if output and output != "out":
                sizes[label] = os.path.getsize(scratch / output)
            clear(scratch, output)
        turn += 1
        if max(max(w) for w in walls.values()) > SLOW_S * 1e9:
            rounds = min(rounds, SLOW_ROUNDS)
    subprocess.run("rm -rf old-*", shell=True, cwd=scratch, check=True)
    write_tsv(raw, [["round", "lane", "wall_ns", "cpu_s"], *rows_])
    return walls, cpus, sizes, rounds


def measure_row(row, scratch, run_dir, env, rounds, commands):
    name, cold, size_limit, lanes = row
    raw, sizes = run_dir / f"{lib.slug(name)}.tsv", {}
    if cold or any(output for *_, output in lanes):
        walls, cpus, sizes, rounds = shell_row(lanes, raw, scratch, env, rounds, cold)
    else:
        walls, cpus = race_row(lanes, raw, scratch, env, rounds)
    for label, _, command, _ in lanes:
        commands.append(f"# {name}: {label}\n{command}")
    peers = [label for label, limit, *_ in lanes if limit is None]
    base = min(lib.median(walls[p]) for p in peers)
    small = min((sizes[p] for p in peers if p in sizes), default=0)
    out = []
    for label, limit, *_ in lanes:
        wall = lib.median(walls[label])
        size = sizes.get(label)
        good = limit is None or (wall / base <= limit and (not size or size / small <= size_limit))
        out.append([name, label, str(rounds), f"{wall / 1e6:,.1f}", f"{lib.median(cpus[label]):.2f}",
                    f"{wall / base:.4f}" if wall / base < 0.1 else f"{wall / base:.3f}", "" if limit in (None, NO_LIMIT) else f"{limit}",
                    f"{size / 1e6:,.1f}" if size else "", f"{size / small:.3f}" if size else "",
                    "" if limit in (None, NO_LIMIT) else lib.verdict(good)])
    lib.say("; ".join([name, *(f"{r[1]} {r[5]} {r[8]}" for r in out)]))
    return out


# --- calls and memory -------------------------------------------------------------


def make_small_files(top, files):
    """top/GGG/DD/file-FF.txt, of up to SMALL_BYTES_MAX bytes; a top/GGG has 100 directories."""
    text = b"".join(b"line %d of what a small file says\n" % i for i in range(SMALL_BYTES_MAX // 20))
    for d in range(files // SMALL_PER_DIR):
        path = f"{top}/{d // 100:03}/{d % 100:02}"
        os.makedirs(path)
        for f in range(SMALL_PER_DIR):
            size = (d * SMALL_PER_DIR + f) * 2654435761 % SMALL_BYTES_MAX
            with open(f"{path}/file-{f:02}.txt", "wb", buffering=0) as file:
                file.write(text[f:f + size])


def count_calls(lane, scratch):
    """Calls by name, of all threads and children.

    Not `strace -c`: a call that is younger than strace is printed with its number, but not in the summary.
    """
    trace = scratch / "trace"
    lib.capture(lane, scratch, [lib.find_tool("strace"), "-f", "-qq", "-e", "signal=none", "-o", str(trace)])
    names = collections.Counter()
    with open(trace, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := re.match(r"(?:\d+ +)?(\w+)\(", line):
                names[NEWER_THAN_STRACE.get(match[1], match[1])] += 1
    trace.unlink()
    return names


def tar_lane(label, tree, env, *options):
    parent, name = os.path.split(tree)
    return lib.Lane(label, [lib.find_tool("tar"), "-C", parent, *options, "-I", "zstd -T0 -3", "-cf",
                            "small.tar.zst", name], env)


def lsr_lane(label, lsr, tree, env, *options):
    return lib.Lane(label, [lsr, "--pack", tree, "--force", "--output=small.tar.zst", *options], env)


def measure_calls(job, tree, files, env):
    lanes = [(tar_lane("tar, zstd -T0 -3", tree, env), None),
             (tar_lane("the same with --xattrs --acls", tree, env, "--xattrs", "--acls"), None),
             (lsr_lane("lsr", job.lsr, tree, env), CALLS_LIMIT),
             (lsr_lane("lsr --no-xattrs", job.lsr, tree, env, "--no-xattrs"), CALLS_LIMIT)]
    raw, table, base = [["lane", "call", "calls"]], [], None
    for lane, limit in lanes:
        names = count_calls(lane, job.scratch)
        total = sum(names.values())
        base = base or total
        raw += [[lane.label, name, n] for name, n in names.most_common()]
        table.append([f"{files:,}", lane.label, f"{total:,}", ", ".join(f"{n:,} {name}" for name, n in names.most_common(3)),
                      f"{total / base:.3f}", "" if limit is None else f"{limit}",
                      "" if limit is None else "reached" if total / base <= limit else "**not reached**"])
        job.commands.append(f"# calls: {lane.label}\n{shlex.join(lane.argv)}")
        lib.say(f"calls, {lane.label}: {total:,}")
    write_tsv(job.dir / "calls.tsv", raw)
    return lib.table(["small files", "command", "system calls", "most of them", "ratio", "limit", ""], table)


def measure_memory(job, tree, files, env):
    lanes = [(tar_lane("tar, zstd -T0 -3", tree, env), None), (lsr_lane("lsr", job.lsr, tree, env), MEMORY_LIMIT_MIB)]
    raw, table = job.dir / "memory.tsv", []
    lib.race([lane for lane, _ in lanes], raw, job.scratch, 1, 0)
    runs = lib.read_race(raw)
    for lane, limit in lanes:
        run = runs[lane.label]
        peak = lib.peak_kib(lane, job.scratch) / 1024
        table.append([f"{files:,}", lane.label, f"{run['wall_ns'][0] / 1e9:.1f}", f"{peak:,.1f}", "" if limit is None else f"{limit}",
                      "" if limit is None else "reached" if peak <= limit else "**not reached**"])
        job.commands.append(f"# memory: {lane.label}\n{shlex.join(lane.argv)}")
        lib.say(f"memory, {lane.label}: {peak:.1f} MiB")
    return lib.table(["small files", "command", "wall s", "peak MiB", "limit", ""], table)


def measure_small_files(job, env):
    """The last of all: the tree that is removed afterwards would slow down what makes files, see clear()."""
    files = SMALL_FILES // 50 if job.quick else SMALL_FILES
    calls = CALLS_FILES // 50 if job.quick else CALLS_FILES
    few, many = (os.path.join(os.path.realpath(job.scratch), name) for name in ("few", "many"))
    make_small_files(few, calls)
    make_small_files(many, files)
    return measure_calls(job, few, calls, env) + "\n" + measure_memory(job, many, files, env)


# ----------------------------------------------------------------------------------


def measure(job):
    scratch = job.scratch
    tree = bundles.QUICK_TREE if job.quick and job.args.tree == bundles.TREE else job.args.tree
    job.facts["tree"] = tree
    for name, *argv in (("tar",), ("bsdtar",), ("zstd",), ("pigz",), ("zip", "zip", "-v"), ("sqlite3",)):
        job.version(name, *argv)
    env = job.shell_env()
    small, of_largest = small_members(tree)
    lib.sh(f"{job.lsr} --pack --no-verify {tree} --output=keep.tar.zst; mkdir out", scratch)
    table = []
    for row in rows(job.lsr, tree, small, of_largest):
        if row[1] and not lib.can_drop_caches():
            lib.say(f"{row[0]}: caches cannot be dropped, left out")
            continue
        table += measure_row(row, scratch, job.dir, env, 1 if job.quick else job.args.rounds, job.commands)
    tables = lib.table(["what", "command", "runs", "wall ms", "CPU s", "ratio", "limit", "MB", "size ratio", ""], table)
    (job.dir / "tables.md").write_text(tables + "\n" + measure_small_files(job, env))


def render(run):
    body = (f"Medians of interleaved runs; the table has their number. The tree is `{run.facts['tree']}`. Ratios are to the "
            "faster peer, sizes to its smaller output; *cold* means that caches were dropped before each run. For commands "
            "that write files, the shell that starts them is part of the time; lists and contents go into a pipe. *One directory* is the median by number of entries of all directories with "
            f"{USUAL_MIN} or more; `commands.txt` of the run names it. *System calls* are all calls in the output of strace, of all threads and children, in separate runs; "
            "`tar` keeps extended attributes and access control lists only when asked, `lsr` leaves them out only when asked. *Peak* is "
            "the sum of the peaks of all processes, in a separate run.\n\n")
    return "Packing and reading back", body + (run.path / "tables.md").read_text(), {}


def run(args):
    return lib.run_verb("pack", args, measure, render)
