"""formats - bundle formats compared: packing, listing, one member, metadata, and the size of frames

    tables      pack, list, random       a corpus as in corpus.py, a fifth of it, in one bundle
                frames                   bench/frames.c: the same tar, frames from 64 KiB to 4 MiB
                metadata                 zoo.py: what comes back after packing and unpacking
                lsr --compare --random   reads within one process

Each member is fetched by a process of its own, as in a script; slow formats fetch fewer.
"""
import hashlib
import json
import os
import random
import shlex

import corpus
import lib
import picture
import zoo

SUMMARY = "formats: random access, metadata kept, size and speed of tar, zip, SQLite, dar, LSR1"

FILES, PACKAGES, BYTES = 20_000, 260, 217_000_000
QUICK = 1_500, 20, 16_300_000
MEMBERS, QUICK_MEMBERS = 200, 20
SLOW_MEMBERS = 5            # of formats that read everything before the member
ROUNDS, SLOW_S = 3, 10      # rows that take longer than SLOW_S have one round
FRAMES = [64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20]
FRAME_OF_LSR1 = 1 << 20
LEVEL = 3


def add_options(parser):
    lib.add_options(parser)


def formats(lsr, members):
    """[(format, bundle, pack, list, {lane: (get, reads everything first)})]; shell, in the scratch directory, $m is a member.

    The tree is tree/, and members begin with it.
    """
    def lsr_lanes(bundle, slow):
        return {"lsr --cat": (f'{lsr} --no-cache --cat {bundle}/"$m"', slow),
                f"lsr --cat, one process for all {members}": (f"all {bundle}", False)}
    return [
        ("plain files", None, None, "find tree -ls", {"cat": ('cat "$m"', False)}),
        ("tar", "a.tar", "tar -cf a.tar tree", "tar -tvf a.tar",
         {"tar -xOf": ('tar -xOf a.tar "$m"', False), **lsr_lanes("a.tar", False)}),
        ("tar.gz", "a.tar.gz", "tar -czf a.tar.gz tree", "tar -tvzf a.tar.gz",
         {"tar -xzOf": ('tar -xzOf a.tar.gz "$m"', True), **lsr_lanes("a.tar.gz", True)}),
        ("tar.zst", "a.tar.zst", "tar --zstd -cf a.tar.zst tree", "tar --zstd -tvf a.tar.zst",
         {"tar --zstd -xOf": ('tar --zstd -xOf a.tar.zst "$m"', True), **lsr_lanes("a.tar.zst", True)}),
        ("tar.xz, indexed", "a.tpxz", "tar -I 'pixz -1' -cf a.tpxz tree", "pixz -l a.tpxz",
         {"pixz -x": ('pixz -x "$m" <a.tpxz | tar -xO', True)}),
        ("zip", "a.zip", "zip -q -r -y a.zip tree", "unzip -lv a.zip",
         {"unzip -p": ('unzip -p a.zip "$m"', False), **lsr_lanes("a.zip", False)}),
        ("7z", "a.7z", "7z a -bd -bso0 -mx=3 a.7z tree", "7z l a.7z", {"7z e -so": ('7z e -so a.7z "$m"', True)}),
        ("SQLite (sqlar)", "a.sqlar", "sqlite3 -A -cf a.sqlar tree", "sqlite3 -A -tvf a.sqlar",
         # It ends what it prints with a newline.
         {"sqlite3": ('''sqlite3 -readonly a.sqlar "SELECT sqlar_uncompress(data, sz) FROM sqlar WHERE name = '$m'" | head -c -1''', False),
          **lsr_lanes("a.sqlar", False)}),
        ("dar", "a.1.dar", "dar -Q -q -c a -g tree -zgzip:6", "dar -Q -q -l a",
         {"dar -x": ('dar -Q -q -O -w -x a -R out -g "$m" && cat out/"$m"', False)}),
        ("LSR1", "b.tar.zst", f"{lsr} --pack --no-verify --force tree --output=b.tar.zst", f"{lsr} --no-cache -lR b.tar.zst",
         {**lsr_lanes("b.tar.zst", False), "tar --zstd -xOf": ('tar --zstd -xOf b.tar.zst "$m"', True)}),
        ("zip by lsr", "b.zip", f"{lsr} --pack --no-verify --force tree --output=b.zip", f"{lsr} --no-cache -lR b.zip",
         {"unzip -p": ('unzip -p b.zip "$m"', False)}),
        ("sqlar by lsr", "b.sqlar", f"{lsr} --pack --no-verify --force tree --output=b.sqlar", f"{lsr} --no-cache -lR b.sqlar", {}),
        ("tar.gz by lsr", "b.tar.gz", f"{lsr} --pack --no-verify --force tree --output=b.tar.gz", f"{lsr} --no-cache -lR b.tar.gz", {}),
    ]


def repeat(command, job, env, before=None):
    """Milliseconds, median; how many."""
    times = []
    while len(times) < (1 if job.quick else ROUNDS) and (not times or times[0] < SLOW_S * 1e9):
        if before:
            before()
        times.append(lib.timed_shell(command, job.scratch, env)[0])
    job.commands.append(command)
    return lib.median(times) / 1e6, len(times)


def pick_members(tree, n):
    found = []
    for at, names, files in os.walk(tree):
        names.sort()
        found += [os.path.join(at, f) for f in sorted(files)]
    return [os.path.relpath(p, tree.parent) for p in random.Random(1).sample(found, n)]


def fetch(job, env, command, names):
    """Milliseconds a member.  What the command reads is compared first.  "all BUNDLE" is one process of lsr."""
    wanted = hashlib.sha256(b"".join((job.scratch / n).read_bytes() for n in names)).hexdigest()
    loop = f"while read -r m; do {command}; done <members-{len(names)}"
    if command.startswith("all "):
        loop = f"{job.lsr} --no-cache --cat " + " ".join(shlex.quote(f"{command[4:]}/{n}") for n in names)
    got = lib.sh(f"{{ {loop}; }} | sha256sum", job.scratch, env).split()[0]
    if got != wanted:
        raise lib.BenchError(f"reads something else than the files: {loop[:200]}")
    return repeat(loop, job, env)[0] / len(names)


def measure_formats(job, env):
    members = QUICK_MEMBERS if job.quick else MEMBERS
    names = pick_members(job.scratch / "tree", members)
    for n in {members, SLOW_MEMBERS}:
        (job.scratch / f"members-{n}").write_text("".join(f"{m}\n" for m in names[:n]))
    (job.scratch / "out").mkdir()
    packs, reads = [], []
    for label, bundle, pack, listing, lanes in formats(job.lsr, members):
        lib.say(label)
        tool = (pack or listing).split()[0]
        if lib.find_peer(tool) is None or "pixz" in (pack or "") and lib.find_peer("pixz") is None:
            job.facts["not here"] = f"{job.facts.get('not here', '')} {label}".strip()
            continue
        row = {"format": label, "pack_ms": "", "rounds": "", "bytes": "", "list_ms": ""}
        if pack:
            pack_ms, rounds = repeat(pack, job, env, lambda bundle=bundle: (job.scratch / bundle).unlink(missing_ok=True))
            row.update(pack_ms=f"{pack_ms:.3f}", rounds=rounds, bytes=os.path.getsize(job.scratch / bundle))
        row["list_ms"] = f"{repeat(listing + ' >list', job, env)[0]:.3f}"
        packs.append(row)
        for lane, (command, slow) in lanes.items():
            some = names[:SLOW_MEMBERS] if slow else names
            reads.append({"format": label, "lane": lane, "members": len(some), "ms": f"{fetch(job, env, command, some):.4f}"})
    lib.write_tsv(job.dir / "packs.tsv", packs)
    lib.write_tsv(job.dir / "reads.tsv", reads)


def measure_frames(job):
    program, rows = lib.compile_c("frames", "-lzstd"), []
    lib.sh("tar --sort=name -cf frames.tar tree", job.scratch)
    for size in FRAMES:
        lib.say(f"frames of {size >> 10} KiB")
        command = f"{program} frames.tar {size} {LEVEL} {QUICK_MEMBERS if job.quick else MEMBERS} 1"
        job.commands.append(command)
        frames, packed, sequential, one = lib.sh(command, job.scratch).split()
        rows.append({"frame": size, "frames": frames, "bytes": packed, "sequential_ms": f"{int(sequential) / 1e6:.3f}",
                     "member_ms": f"{int(one) / 1e6:.4f}"})
    lib.write_tsv(job.dir / "frames.tsv", rows)


def measure(job):
    files, packages, size = QUICK if job.quick else (FILES, PACKAGES, BYTES)
    env = job.shell_env()
    corpus.make_corpus(job.scratch / "tree", files, packages, size)
    job.facts.update(corpus.tree_facts(job.scratch / "tree"))
    for name, *argv in (("tar",), ("zstd",), ("pixz", "dpkg-query", "-Wf${Version}", "pixz"), ("zip", "zip", "-v"), ("unzip", "unzip", "-v"),
                        ("7z", "dpkg-query", "-Wf${Version}", "p7zip-full"), ("sqlite3",), ("bsdtar",)):
        job.version(name, *argv)
    job.version("dar", "bash", "-c", "dar --version 2>/dev/null | grep -o 'dar version [0-9.]*'")
    measure_formats(job, env)
    measure_frames(job)
    lib.say("metadata")
    rows, notes = zoo.measure(job, env)
    lib.write_tsv(job.dir / "metadata.tsv", rows)
    job.facts["metadata"] = notes
    lib.say("lsr --compare --random")
    corpus.compare(job, job.scratch / "tree", "random", ["--random=" + str(QUICK_MEMBERS if job.quick else MEMBERS),
                                                         f"--runs={1 if job.quick else ROUNDS}"])


def frames_table(rows):
    base = next(r for r in rows if int(r["frame"]) == FRAME_OF_LSR1)
    return lib.table(["frame", "frames", "MB", "÷ 1 MiB", "sequential ms", "÷ 1 MiB", "one member ms", "÷ 1 MiB"],
                     [[f"{int(r['frame']) >> 10:,} KiB", f"{int(r['frames']):,}", f"{int(r['bytes']) / 1e6:,.2f}",
                       f"{int(r['bytes']) / int(base['bytes']):.3f}", lib.ms(r["sequential_ms"]),
                       f"{float(r['sequential_ms']) / float(base['sequential_ms']):.3f}", lib.ms(r["member_ms"]),
                       f"{float(r['member_ms']) / float(base['member_ms']):.3f}"] for r in rows])


def random_targets(ways):
    """LSR1, the tar.zst, against tar.gz and zip."""
    at = {w["name"]: corpus.member_ms(w) for w in ways}
    faster, of_zip = at["tar.gz"] / at["tar.zst"], at["tar.zst"] / at["zip, deflate"]
    return lib.table(["target", "limit", "measured", ""], [
        ["tar.gz ÷ LSR1", "at least 50", f"{faster:.1f}", lib.verdict(faster >= 50)],
        ["LSR1 ÷ zip, deflate", "at most 25", f"{of_zip:.1f}", lib.verdict(of_zip <= 25)]])


def render(run):
    f, packs, reads, frames = run.facts, run.tsv("packs.tsv"), run.tsv("reads.tsv"), run.tsv("frames.tsv")
    size = int(f["bytes"])
    out = [f"""{int(f['files']):,} files of {size / 1e6:,.1f} MB from `bench/corpus-make.c`, one bundle, warm cache; every command is run by a shell, which is
part of its time. Median of {ROUNDS} rounds, or of one if a round takes more than {SLOW_S} s. {'Not installed: ' + f['not here'] + '.' if 'not here' in f else ''}

## Packing and listing

Each tool has its default level, except pixz (1) and 7z (3). lsr does not verify (`--no-verify`), since no other tool does.
`pixz -l` lists names only.
""", lib.table(["format", "pack ms", "rounds", "MB", "of the files", "list ms"],
               [[r["format"], lib.ms(r["pack_ms"]) if r["pack_ms"] else "", r["rounds"], f"{int(r['bytes']) / 1e6:,.1f}" if r["bytes"] else "",
                 f"{int(r['bytes']) / size:.3f}" if r["bytes"] else "", lib.ms(r["list_ms"])] for r in packs])]
    base = next((float(r["ms"]) for r in reads if r["lane"] == "tar -xzOf"), None)
    out += ["\n## One member, in random order\n",
            "One process for each member, unless stated otherwise; all lanes gave the same bytes. If everything before the member "
            f"must be decoded, only {SLOW_MEMBERS} members were fetched.\n",
            lib.table(["format", "command", "members", "ms a member", "tar.gz by tar ÷ this"],
                      [[r["format"], r["lane"], r["members"], lib.ms(r["ms"]), f"{base / float(r['ms']):,.1f}" if base else ""] for r in reads],
                      texts=2),
            lib.picture("formats", "reads", "time to fetch one member")]
    if run.has("compare-random.json"):
        result = json.loads((run.path / "compare-random.json").read_text())
        out += [f"\n### The same by `lsr --compare --random={result['random']}`\n",
                "One process opens a bundle once and reads all members.\n", corpus.compare_table(result["ways"], random=True),
                random_targets(result["ways"]), result["words"].strip() + "\n"]
    out += ["\n## The size of frames\n",
            f"`bench/frames.c` on the same tree as a tar, zstd level {LEVEL}, one thread, in memory; frames of large members are four times as large. "
            "`lsr --pack` has one size, 1 MiB, and no option for another.\n", frames_table(frames),
            lib.picture("formats", "frames", "size, sequential and random time against the frame size"),
            "\n## Metadata\n", "Each kind of entry is in a bundle of its own, packed and unpacked by each tool"
            f" {f['metadata']}; `yes` means that all entries with the property came back with it.\n",
            zoo.table(run.tsv("metadata.tsv"))]
    curve = {name: [(int(r["frame"]) / 1024, float(r[column]) / float(frames[0][column])) for r in frames]
             for name, column in (("size", "bytes"), ("sequential time", "sequential_ms"), ("one member", "member_ms"))}
    return "Formats", "\n".join(out), {
        "reads": picture.bars("One member, in lanes that fetched all of them",
                             [(f"{r['format']}: {r['lane']}".replace(", one process for all", ",")[:38], [float(r["ms"])])
                              for r in reads if int(r["members"]) > SLOW_MEMBERS], "ms"),
        "frames": picture.lines("Frames: relative to 64 KiB", curve, "KiB a frame", "÷ 64 KiB")}


def run(args):
    return lib.run_verb("formats", args, measure, render)
