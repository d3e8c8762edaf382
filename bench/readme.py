#!/usr/bin/env python3
"""readme - the numbers of README.md and of pages in docs, from the newest run of each verb

    bench/readme.py             write them into these pages
    bench/readme.py --check     exit status 1 if a page has others

Each block between `<!-- measured: NAME -->` and `<!-- end -->` is made by the function of that name.
"""
import json
import re
import sys

sys.dont_write_bytecode = True
import dirs as dirs_verb  # noqa: E402
import lib  # noqa: E402

PAGES = [lib.REPO / name for name in ("README.md", "docs/measured.md", "docs/guide.md")]
BLOCK = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.S)
CALLS = ["gnu", "busybox", "lsr", "threads"]
BUNDLES = [
    ("`.tar`, `bsdtar -tvf`", "tar"),
    ("`.tar.gz`, `bsdtar -tvf`", "tar.gz"),
    ("the same `.tar.gz` again, from lsr's cache", "tar.gz, second listing"),
    ("`.zip`, `unzip -l`", "zip"),
    ("sqlar, `sqlite3 -A -tv`", "sqlar"),
]
PACKING = [
    ("`.tar.zst` with its table of contents, `tar -I 'zstd -T0 -3'`", "LSR1, warm", "lsr --no-verify"),
    ("the same, cold cache", "LSR1, cold", "lsr --no-verify"),
    ("`.tar.gz`, `tar -I 'pigz -6'`", ".tar.gz", "lsr"),
    ("`.zip`, `zip -r`", ".zip", "lsr"),
    ("sqlar, `sqlite3 -A -cf`", ".sqlar", "lsr"),
    ("unpacking that `.tar.zst`, `tar --zstd -xf`", "LSR1, unpack", "lsr --unpack"),
]
WAYS = [
    ("files, open-read-close", "files, sync"), ("files, threads", "files, threads"), ("files, io_uring", "files, uring"),
    ("tar", "tar"), ("tar.gz", "tar.gz"), ("tar.zst of `lsr --pack`", "tar.zst"), ("zip, stored", "zip, stored"),
    ("sqlar", "sqlar"),
]  # fmt: skip


def newest(verb):
    runs = sorted(lib.RUNS.glob(f"*-{verb}"))
    if not runs:
        raise lib.BenchError(f"no run of {verb} below {lib.RUNS}")
    return runs[-1]


def number(text):
    """A ratio with two digits that mean something."""
    value = float(text)
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def lines(path):
    """The cells of a table in Markdown, without its head."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in path.read_text().splitlines() if line.startswith("| ")]
    return [row for row in rows if not row[0].startswith(":--")]


def dirs():
    run = newest("dirs")
    facts = lib.read_facts(run / "machine.txt")
    cell = {(r["set"], r["lane"]): r for r in lib.read_tsv(run / "summary.tsv")}
    names = [name for name in dirs_verb.BY_SIZE if (name, "lsr") in cell]  # a run may be older than a size
    sizes = [s.title for s in dirs_verb.SETS if s.name in names]
    wall = [[title, *(f"{lib.ms(r['wall_median_ms'])} ({float(r['ratio_gnu']):.2f})"
                      for r in (cell[name, lane] for name in names))] for lane, title in dirs_verb.LANES if (names[0], lane) in cell]
    calls = [[dirs_verb.TITLES[lane], *(f"{int(float(cell[name, lane]['syscalls'])):,}" for name in names)]
             for lane in CALLS]
    return f"""`ls -al` of directories of plain files: {facts['cpu']}, {facts['cpus']}, {facts['kernel'].split(' #')[0]},
{facts['file system']}, warm cache, output to a pipe. Medians of interleaved runs in ms; in brackets the ratio to GNU ls.
Raw results: `bench/runs/{run.name}`; all rows: [docs/bench-dirs.md](docs/bench-dirs.md).

{lib.table(["", *sizes], wall)}
{lib.table(["system calls", *sizes], calls)}"""


def bundles():
    rows = {(r[0], r[1]): r for r in lines(newest("bundles") / "tables.md")}
    listing = [[title, number(rows[what, "lsr"][6])] for title, what in BUNDLES]
    rows = {(r[0], r[1]): r for r in lines(newest("pack") / "tables.md")}
    listing.append(["`.tar.zst` made by `lsr --pack`, `bsdtar -tvf`", number(rows["LSR1, list all", "lsr -lR"][5])])
    packing = [[title, number(rows[what, lane][5])] for title, what, lane in PACKING]
    return lib.table(["listing with `lsr -lR`", "", "packing with `lsr --pack --no-verify`", ""],
                     [[*a, *b] for a, b in zip(listing, packing)]).replace("| :-- | --: | --: | --: |", "| :-- | --: | :-- | --: |")


def walk():
    run = newest("walk")
    facts = lib.read_facts(run / "machine.txt")
    wall = {(r["cache"], r["lane"]): float(r["wall_median_ms"]) for r in lib.read_tsv(run / "summary.tsv")}

    def ratio(cache, lane, peer):
        return f"{wall[cache, lane] / wall[cache, peer]:.2f}"

    return f"""A tree of {int(facts['entries']):,} entries (`{facts['tree']}`): `lsr -RA` takes {ratio("warm", "lsr -RA", "find")} of the time of find from the cache and
{ratio("cold", "lsr -RA", "find")} from the disk, `lsr -lisRA` {ratio("warm", "lsr -lisRA", "find -ls")} and {ratio("cold", "lsr -lisRA", "find -ls")} of the time of `find -ls`
([docs/bench-walk.md](docs/bench-walk.md), with bfs and fd).
"""


def corpus():
    run = newest("corpus")
    warm, cold = ({w["name"]: w for w in json.loads((run / f"compare-{cache}.json").read_text())["ways"]} for cache in ("warm", "cold"))
    files = WAYS[0][1]
    out = []
    for title, name in WAYS:
        times = []
        for ways, unit in ((warm, (1e6, "ms")), (cold, (1e9, "s"))):
            total, first = ways[name]["median"]["total_ns"], ways[files]["median"]["total_ns"]
            times.append(f"{total / first:.2f}" + (f" ({total / unit[0]:,.{0 if unit[1] == 'ms' else 1}f} {unit[1]})" if name == files else ""))
        size = f"{warm[name]['apparent_bytes'] / 1e6:,.0f} MB" if name == files or warm[name]["format"] else ""
        out.append([title, f"{warm[name]['syscalls']:,}", *times, size])
    return lib.table(["", "system calls", "warm cache", "cold cache", "size"], out)


def speed():
    """The table of the README: how much of another program's time lsr takes."""
    cell = {(r["set"], r["lane"]): r for r in lib.read_tsv(newest("dirs") / "summary.tsv")}
    wall = {(r["cache"], r["lane"]): float(r["wall_median_ms"]) for r in lib.read_tsv(newest("walk") / "summary.tsv")}
    rows = [[f"`ls -al`, {s.title}", "GNU ls", number(cell[s.name, "lsr"]["ratio_gnu"])] for s in dirs_verb.SETS
            if s.name in dirs_verb.BY_SIZE and (s.name, "lsr") in cell]
    rows += [[f"`find -ls` of `/usr`, {cache} cache", "find", number(wall[cache, "lsr -lisRA"] / wall[cache, "find -ls"])]
             for cache in ("warm", "cold")]
    bundled = {(r[0], r[1]): r for r in lines(newest("bundles") / "tables.md")}
    packed = {(r[0], r[1]): r for r in lines(newest("pack") / "tables.md")}
    rows += [[f"listing a {title.split(', ')[0]}", title.split(", ")[1], number(bundled[what, "lsr"][6])]
             for title, what in BUNDLES if "," not in what]
    rows.append(["listing a `.tar.zst` of `lsr --pack`", "`bsdtar -tvf`", number(packed["LSR1, list all", "lsr -lR"][5])])
    rows.append(["packing a `.tar.zst`, without reading it back", "`tar -I 'zstd -T0 -3'`",
                 number(packed["LSR1, warm", "lsr --no-verify"][5])])
    return "Wall time of lsr as a fraction of the other program's, on two virtual cores:\n\n" + lib.table(
        ["", "against", "lsr takes"], rows)


def main():
    stale = []
    for page in PAGES:
        old = page.read_text()
        up = "](docs/" if page.parent == lib.REPO else "]("
        new = BLOCK.sub(lambda m: m[1] + globals()[m[2]]().replace("](docs/", up) + m[3], old)
        if new != old:
            stale.append(page.name)
            if sys.argv[1:] != ["--check"]:
                lib.write_whole(page, new)
    if sys.argv[1:] != ["--check"] or not stale:
        return 0
    print(f"{', '.join(stale)}: other numbers than those of the newest runs; bench/readme.py writes them")
    return 1


if __name__ == "__main__":
    sys.exit(main())
