"""bundles - listing archives and databases against the tools that made them

One real tree, packed by the stock tools; `lsr -lR` of each bundle against the tool that
people use for it, and questions to an ordinary database.  Caches of listings are off except
in the row that measures them.
"""
import os
import pathlib

import lib

SUMMARY = "listing bundles, against bsdtar, unzip and sqlite3"
TREE = "/usr/share"
QUICK_TREE = "/usr/include"

ROUNDS = 11
SHORT_ROUNDS = 41  # of what takes less than half a second
SHORT = ["tar", "zip", "sqlar", "iso", "zip, 10 entries", "tar.gz, 10 entries", "database, tables", "database, one row"]
MANY = 1000  # small bundles
QUICK_MANY = 50
MANY_FILES = 50
MANY_FILE_MAX = 64 << 10  # bytes: one large file makes a large bundle
DATABASE_ROWS = 500_000
TABLES_MS = 5  # more than the start of lsr, for the tables of a database

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


# row: (sqlite3's question, how lsr is asked the same, limit of the ratio)
QUESTIONS = {
    "database, tables": (".tables", ["app.db"], 2.0),
    "database, one table": ("SELECT id FROM log ORDER BY CAST(id AS TEXT)", ["app.db/log"], 2.0),
    "database, one row": ("SELECT json_object('id', id, 'at', at, 'level', level, 'text', text) FROM log WHERE id = {middle}",
                          ["--cat", "app.db/log/{middle}"], 2.0),
}


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--tree", default=TREE, help=f"what is packed (default: {TREE})")
    parser.add_argument("--rounds", type=int, default=ROUNDS)


def make_database(scratch, rows):
    """Two tables, an index and a view, as programs keep them; the larger table has that many rows of some 100 bytes."""
    lib.sh(f"""sqlite3 app.db <<'END'
CREATE TABLE users (name TEXT PRIMARY KEY, mail TEXT) WITHOUT ROWID;
CREATE TABLE log (id INTEGER PRIMARY KEY, at INTEGER, level TEXT, text TEXT);
CREATE INDEX log_by_time ON log (at);
CREATE VIEW errors AS SELECT * FROM log WHERE level = 'error' ORDER BY at DESC;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
INSERT INTO log SELECT i, 1700000000 + i * 7, iif(i % 100, 'info', 'error'), printf('%064d', i * 2654435761 % 4294967296) FROM n;
INSERT INTO users SELECT printf('user-%d', id), printf('user-%d@example.org', id) FROM log WHERE id <= {rows} / 100;
END
mkdir empty""", scratch)


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
    lib.sh("touch -d '1 hour ago' tree.* ten.* app.db many/*; sleep 3", scratch)


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


def lanes_of(lsr, many, rows, env):
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
    for row, (question, argv, limit) in QUESTIONS.items():
        middle = rows // 2
        result.append((row, limit, SHORT_ROUNDS if row in SHORT else ROUNDS,
                       [lib.Lane("sqlite3", [lib.find_tool("sqlite3"), "app.db", question.format(middle=middle)], env),
                        lib.Lane("lsr", [lsr, "--no-cache", *(word.format(middle=middle) for word in argv)], env),
                        lib.Lane("lsr, an empty directory", [lsr, "empty"], env)]))
    # Not a loop of bash, which forks itself for each bundle: busybox starts programs by vfork(), as a program would that calls the lister.
    each = [lib.find_tool("busybox"), "xargs", "-n", "1", "-a", "many.list"]
    result.append((f"{many:,} small tar.gz", 0.45, ROUNDS,
                   [lib.Lane("bsdtar", [*each, lib.find_tool("bsdtar"), "-tvf"], env),
                    lib.Lane("lsr", [*each, lsr, "--no-cache", "-lR"], env)]))
    return result


def bundle_of(row, lanes, scratch):
    """The one file that a row is about, None for many."""
    if "small" in row:
        return None
    return scratch / ("app.db" if row in QUESTIONS else lanes[0].argv[-1])


def measure(job):
    args, scratch = job.args, job.scratch
    tree, many = (QUICK_TREE, QUICK_MANY) if job.quick and args.tree == TREE else (args.tree, MANY)
    job.facts["tree"] = tree
    for name, *argv in (("bsdtar",), ("unzip", "unzip", "-v"), ("sqlite3",)):
        job.version(name, *argv)
    database_rows = DATABASE_ROWS // 50 if job.quick else DATABASE_ROWS
    job.facts["database rows"] = f"{database_rows}"
    make_database(scratch, database_rows)
    pack(tree, scratch, many)
    sizes = [p.stat().st_size for p in (scratch / "many").iterdir()]
    job.facts.update({"small": f"{len(sizes)}", "small median": f"{lib.median(sizes):.0f}", "small most": f"{max(sizes)}"})
    rows = []
    # Not the C locale: bsdtar shows no names of a 7z that are not ASCII in it, and fails.
    for row, limit, rounds, lanes in lanes_of(job.lsr, many, database_rows, job.shell_env()):
        for lane in lanes:
            out, _ = lib.capture(lane, scratch)
            job.commands.append(f"# {row}: {len(out.splitlines()):,} lines\n{lane.shell_line()}")
        bundle = bundle_of(row, lanes, scratch)
        warm([bundle] if bundle else sorted((scratch / "many").iterdir()))
        raw = job.dir / f"{lib.slug(row)}.tsv"
        lib.race(lanes, raw, scratch, 3 if job.quick else max(rounds, args.rounds), 1)
        runs = lib.read_race(raw)
        base = lib.median(runs[lanes[0].label]["wall_ns"])
        lib.say(row, *(f"{lane.label} {lib.median(runs[lane.label]['wall_ns']) / base:.3f}" for lane in lanes))
        size = os.path.getsize(bundle) if bundle else 0
        for lane in lanes:
            run = runs[lane.label]
            wall = lib.median(run["wall_ns"])
            cpu = lib.median([u + s for u, s in zip(run["user_us"], run["sys_us"])])
            verdict = lib.verdict(wall / base <= limit) if lane.label == "lsr" else ""
            peak = lib.peak_kib(lane, scratch) if bundle else None
            rows.append([row, lane.label, f"{size / 1e6:,.1f}" if size else "", f"{wall / 1e6:.2f}", f"{cpu / 1e3:.2f}",
                         f"{peak:,}" if peak else "", f"{wall / base:.3f}",
                         f"{limit}" if lane.label == "lsr" else "", verdict])
        if row == "database, tables":
            more = (lib.median(runs["lsr"]["wall_ns"]) - lib.median(runs["lsr, an empty directory"]["wall_ns"])) / 1e6
            job.facts["tables"] = f"{more:.2f}"
    tables = lib.table(["bundle", "command", "MB", "wall ms", "CPU ms", "peak KiB", "ratio", "limit", ""], rows)
    (job.dir / "tables.md").write_text(tables)


def render(run):
    body = (f"Medians of interleaved runs, warm cache (each bundle is read from the disk once before its row), output to a pipe. The tree is `{run.facts['tree']}`, packed by GNU tar, "
            "gzip, zstd, zip, sqlite3, 7z and xorriso. lsr runs with `--no-cache`, except in the row of the second listing. "
            "CPU of lsr is that of the main process, without its worker; the peak of memory is the sum over all processes, "
            "in a separate run. "
            f"The {int(run.facts['small']):,} small bundles hold {MANY_FILES} files of the tree each, all of at most "
            f"{MANY_FILE_MAX >> 10} KiB: the median bundle has {int(run.facts['small median']) / 1e3:,.0f} kB, the largest {int(run.facts['small most']) / 1e3:,.0f}; "
            "each is listed by a process of its own, started by busybox's xargs. "
            f"The database has a table of {int(run.facts['database rows']):,} rows and another of a hundredth of that. Listing its tables takes lsr "
            f"{run.facts['tables']} ms more than listing an empty directory (limit {TABLES_MS}: "
            f"{lib.verdict(float(run.facts['tables']) <= TABLES_MS)}).\n\n")
    return "Listing bundles", body + (run.path / "tables.md").read_text(), {}


def run(args):
    return lib.run_verb("bundles", args, measure, render)
