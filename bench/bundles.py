"""bundles - listing archives and databases against the tools that made them

One real tree, packed by the stock tools; `lsr -lR` of each bundle against the tool that
people use for it, questions to ordinary databases, single members and directories of large
bundles, and unpacking and checking.  Caches of listings are off except in the row that
measures them.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import zipfile
from dataclasses import dataclass, field

import lib

SUMMARY = "listing bundles, against bsdtar, unzip and sqlite3"
TREE = "/usr/share"
QUICK_TREE = "/usr/include"

ROUNDS = 11
SHORT_ROUNDS = 41  # of what takes less than half a second
SLOW_ROUNDS = 5    # of what takes seconds
SLOWEST_ROUNDS = 3
QUICK_ROUNDS = 3
MANY = 1000  # small bundles
QUICK_MANY = 50
MANY_FILES = 50
MANY_FILE_MAX = 64 << 10  # bytes: one large file makes a large bundle
DATABASE_ROWS = 500_000
LARGE_ROWS = 3_000_000
MEMBERS, MEMBERS_PER_DIR = 1_000_000, 1000  # of the large zip

# The peaks of 2026-11-22-amd-epyc-6.18.44-bundles, at 3c959f65, in KiB: --base measures those of another binary instead.
PEAK_LIMIT = 1.5
PEAKS = {
    "tar": 16_604, "tar.gz": 18_424, "tar.zst": 21_384, "zip": 23_796, "sqlar": 52_584, "7z": 29_372, "iso": 42_012,
    "zip, 10 entries": 3_288, "tar.gz, 10 entries": 3_472, "database, tables": 4_868, "database, one table": 134_444,
    "database, one row": 6_848,
}  # fmt: skip


@dataclass
class Row:
    """Lanes against the first of them."""
    name: str
    bundle: str             # the one file that it is about, "" for many
    lanes: list
    limits: dict            # {lane: highest ratio}
    rounds: int = 0         # 0: as many as were asked for
    cpus: str = None        # where the commands may run
    fresh: bool = False     # the file is as its maker has left it in the cache
    cold: bool = False      # it is not in the cache
    unpacks: bool = False   # into the directory out
    over: list = field(default_factory=list)  # [(lane, another, ms, MiB)]: no more than that above the other


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--tree", default=TREE, help=f"what is packed (default: {TREE})")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--base", metavar="BINARY", help="an earlier lsr, for the limits of memory")


# --- what is made -----------------------------------------------------------------


def make_database(scratch, rows, name="app.db"):
    """Two tables, an index and a view, as programs keep them; the larger table has that many rows of some 100 bytes."""
    lib.sh(f"""sqlite3 {name} <<'END'
CREATE TABLE users (name TEXT PRIMARY KEY, mail TEXT) WITHOUT ROWID;
CREATE TABLE log (id INTEGER PRIMARY KEY, at INTEGER, level TEXT, text TEXT);
CREATE INDEX log_by_time ON log (at);
CREATE VIEW errors AS SELECT * FROM log WHERE level = 'error' ORDER BY at DESC;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
INSERT INTO log SELECT i, 1700000000 + i * 7, iif(i % 100, 'info', 'error'), printf('%064d', i * 2654435761 % 4294967296) FROM n
WHERE {rows};
INSERT INTO users SELECT printf('user-%d', id), printf('user-%d@example.org', id) FROM log WHERE id <= {rows} / 100;
END
mkdir -p empty""", scratch)


def make_large_zip(path, members):
    """Stored members without content, in directories that are all alike."""
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(members):
            name = f"dir-{i // MEMBERS_PER_DIR:04}/file-{i % MEMBERS_PER_DIR:04}.txt"
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 3, 4, 6)), b"")


def pack_small(tree, scratch, many):
    (scratch / "many").mkdir()
    files = [str(p) for p in sorted(pathlib.Path(tree).rglob("*"))
             if p.is_file() and not p.is_symlink() and p.stat().st_size <= MANY_FILE_MAX]
    for i in range(many):
        part = files[i * MANY_FILES % max(1, len(files) - MANY_FILES):][:MANY_FILES]
        with open(scratch / "list", "w") as out:
            out.write("\0".join(part))
        lib.sh(f"tar -C / --null -P -T list -czf many/{i:04}.tar.gz", scratch)
    # Several operands are entered only where a slash says so.
    lib.sh("ls many/* >many.list; sed 's|$|/|' many.list >many.entered", scratch)


def pack(lsr, tree, scratch, many):
    """The bundles, all of the same tree; sparse device files and sockets are no part of such a tree."""
    parent, name = os.path.split(os.path.realpath(tree))
    lib.sh(f"tar -C {parent} --sort=name -cf tree.tar {name}", scratch)
    lib.sh("gzip -k tree.tar; zstd -q -k tree.tar", scratch)
    lib.sh(f"tar -C {parent} --sort=name -cf - {name} {name} | pigz -1 >twice.tar.gz", scratch)
    lib.sh(f"cd {parent} && zip -q -r -y {scratch}/tree.zip {name}", scratch)
    lib.sh(f"cd {parent} && 7z a -bd -bso0 -mx=1 {scratch}/tree.7z {name}", scratch)
    lib.sh(f"xorriso -as mkisofs -quiet -R -o tree.iso {parent}/{name}", scratch)
    lib.sh(f"{lsr} --pack --no-verify {tree} --output=own.sqlar", scratch)
    lib.sh("mkdir ten; for i in 0 1 2 3 4 5 6 7 8 9; do echo $i >ten/$i; done; zip -q -r ten.zip ten; tar -czf ten.tar.gz ten",
           scratch)
    pack_small(tree, scratch, many)
    # The last: it is listed first, as it lies in the cache now.
    lib.sh(f"cd {parent} && sqlite3 -A -cf {scratch}/tree.sqlar {name}", scratch)
    # Bundles that changed within the last seconds are not remembered.
    lib.sh("touch -d '1 hour ago' *.tar* *.zip *.sqlar *.7z *.iso *.db many/*; sleep 3", scratch)


def drop(files):
    """Have the files read from the disk the next time."""
    for path in files:
        with open(path, "rb", buffering=0) as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def warm(files):
    """Have the files cached as such that were read from the disk.

    The pages of one that was just written are as small as what wrote it, and some hosts take the memory of what was not
    used for minutes.
    """
    drop(files)
    for path in files:
        with open(path, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass


# --- rows -------------------------------------------------------------------------


class Lanes:
    """Makes lanes of commands."""
    def __init__(self, lsr, env):
        self.lsr_path, self.env = lsr, env

    def peer(self, *argv):
        return lib.Lane(os.path.basename(argv[0]), [lib.find_tool(argv[0]), *argv[1:]], self.env)

    def lsr(self, *argv, label="lsr"):
        return lib.Lane(label, [self.lsr_path, *argv], self.env)

    def listing(self, bundle, *peer):
        """The peer, lsr, and lsr without threads and rings."""
        return [self.peer(*peer, bundle), self.lsr("--no-cache", "-lR", bundle),
                self.lsr("--no-cache", "--io=sync", "-lR", bundle, label="lsr --io=sync")]


def sqlar_rows(make, scratch):
    listing = make.listing("tree.sqlar", "sqlite3", "-A", "-tv", "-f")
    member = lib.sh("sqlite3 tree.sqlar \"SELECT name FROM sqlar WHERE sz BETWEEN 1 AND 20000 AND name NOT GLOB '*[^a-zA-Z0-9/._-]*'"
                    " LIMIT 1 OFFSET (SELECT count(*) / 4 FROM sqlar)\"", scratch).strip()
    content = f"SELECT sqlar_uncompress(data, sz) FROM sqlar WHERE name = '{member}'"
    rows = [Row("sqlar, as it was written", "tree.sqlar", listing[:2], {"lsr": 0.5}, fresh=True),
            Row("sqlar", "tree.sqlar", listing, {"lsr": 0.5}, SHORT_ROUNDS),
            Row("sqlar, cold", "tree.sqlar", listing[:2], {"lsr": 0.5}, SLOW_ROUNDS, cold=True),
            Row("sqlar, one member", "tree.sqlar", [make.peer("sqlite3", "tree.sqlar", content),
                                                    make.lsr("--cat", f"tree.sqlar/{member}")], {"lsr": 2.0}, SHORT_ROUNDS)]
    listing = make.listing("own.sqlar", "sqlite3", "-A", "-tv", "-f")[:2]
    return rows + [
        Row("sqlar of lsr", "own.sqlar", listing, {"lsr": 0.35}, SHORT_ROUNDS),
        Row("sqlar of lsr, cold", "own.sqlar", listing, {"lsr": 0.25}, SLOW_ROUNDS, cold=True),
        Row("sqlar of lsr, one member", "own.sqlar", [make.peer("sqlite3", "own.sqlar", content),
                                                      make.lsr("--cat", f"own.sqlar/{member}")], {"lsr": 2.0}, SHORT_ROUNDS)]


def tar_rows(make, scratch):
    listing = make.listing("tree.tar.gz", "bsdtar", "-tvf")
    rapidgzip = lib.find_peer("rapidgzip")
    if rapidgzip:
        pipe = f"{shlex.quote(rapidgzip)} -q -d -c tree.tar.gz | tar -tvf -"
        listing.append(lib.Lane("rapidgzip, tar", [lib.find_tool("sh"), "-c", pipe], make.env))
    first = lib.sh("bsdtar -tf twice.tar.gz | grep -m 1 -v '/$'; true", scratch).strip()
    return [
        Row("tar", "tree.tar", make.listing("tree.tar", "bsdtar", "-tvf"), {"lsr": 0.25}, SHORT_ROUNDS),
        Row("tar.gz", "tree.tar.gz", listing, {"lsr": 0.36}),
        Row("tar.gz, one core", "tree.tar.gz", listing[:2], {"lsr": 0.5}, SLOW_ROUNDS, cpus="0"),
        Row("tar.gz, second listing", "tree.tar.gz", [listing[0], make.lsr("-lR", "tree.tar.gz")], {"lsr": 0.02}, SLOW_ROUNDS),
        Row("tar.gz, the first member", "twice.tar.gz", [make.peer("bsdtar", "-xOqf", "twice.tar.gz", first),
                                                         make.lsr("--cat", f"twice.tar.gz/{first}")], {"lsr": 2.0}, SHORT_ROUNDS),
        Row("tar.zst", "tree.tar.zst", make.listing("tree.tar.zst", "bsdtar", "-tvf"), {"lsr": 0.9}),
    ]


def other_rows(make):
    """Formats with an index, and bundles of few members."""
    directory = f"large.zip/dir-{0:04}"
    return [
        Row("zip", "tree.zip", make.listing("tree.zip", "unzip", "-l"), {"lsr": 0.14}, SHORT_ROUNDS),
        Row("zip, one directory", "large.zip", [make.lsr("-R", "large.zip", label="lsr -R"), make.lsr(directory)],
            {"lsr": 0.15}),
        Row("7z", "tree.7z", make.listing("tree.7z", "bsdtar", "-tvf")[:2], {"lsr": 1.0}, SLOWEST_ROUNDS),
        Row("iso", "tree.iso", make.listing("tree.iso", "bsdtar", "-tvf"), {"lsr": 1.0}, SHORT_ROUNDS),
        Row("zip, 10 entries", "ten.zip", make.listing("ten.zip", "unzip", "-l"), {"lsr": 1.0}, SHORT_ROUNDS),
        Row("tar.gz, 10 entries", "ten.tar.gz", make.listing("ten.tar.gz", "bsdtar", "-tvf"), {"lsr": 1.0}, SHORT_ROUNDS),
    ]


def database_rows(make, rows):
    row = (f"SELECT json_object('id', id, 'at', at, 'level', level, 'text', text) FROM log WHERE id = {rows // 2}")
    nothing = make.lsr("empty", label="lsr, an empty directory")
    return [
        Row("database, tables", "app.db", [make.peer("sqlite3", "app.db", ".tables"), make.lsr("--no-cache", "app.db"), nothing],
            {"lsr": 2.0}, SHORT_ROUNDS, over=[("lsr", nothing.label, 5, None)]),
        Row("database, one table", "app.db", [make.peer("sqlite3", "app.db", "SELECT id FROM log ORDER BY CAST(id AS TEXT)"),
                                              make.lsr("--no-cache", "app.db/log")], {"lsr": 2.0}),
        Row("database, one row", "app.db", [make.peer("sqlite3", "app.db", row),
                                            make.lsr("--no-cache", "--cat", f"app.db/log/{rows // 2}")], {"lsr": 2.0}, SHORT_ROUNDS),
        Row("database, large, tables", "large.db", [make.peer("sqlite3", "large.db", ".tables"), make.lsr("--no-cache", "large.db"),
                                                    make.lsr("--no-cache", "empty.db", label="lsr, an empty one")],
            {"lsr": 2.0}, SHORT_ROUNDS, over=[("lsr", "lsr, an empty one", 5, 8)]),
    ]


def content_rows(make):
    """What reads all content."""
    return [
        Row("tar.gz, check", "tree.tar.gz", [make.peer("gzip", "-t", "tree.tar.gz"), make.lsr("--check", "tree.tar.gz")],
            {"lsr": 0.6}, SLOW_ROUNDS),
        Row("zip, check", "tree.zip", [make.peer("unzip", "-tq", "tree.zip"), make.lsr("--check", "tree.zip")],
            {"lsr": 0.6}, SLOW_ROUNDS),
        Row("tar.gz, unpack", "tree.tar.gz", [make.peer("tar", "-xzf", "tree.tar.gz", "-C", "out"),
                                              make.lsr("--unpack", "tree.tar.gz", "--output=out")],
            {"lsr": 0.6}, SLOWEST_ROUNDS, unpacks=True),
        Row("zip, unpack", "tree.zip", [make.peer("unzip", "-q", "tree.zip", "-d", "out"),
                                        make.lsr("--unpack", "tree.zip", "--output=out")],
            {"lsr": 0.6}, SLOWEST_ROUNDS, unpacks=True),
    ]


def small_row(make, many):
    # Not a loop of bash, which forks itself for each bundle: busybox starts programs by vfork(), as a program would that calls the lister.
    busybox = lib.find_tool("busybox")
    each, all_in_one = [busybox, "xargs", "-n", "1", "-a", "many.list"], [busybox, "xargs", "-a", "many.entered"]
    lsr = [make.lsr_path, "--no-cache", "-lR"]
    return Row(f"{many:,} small tar.gz", "", [lib.Lane("bsdtar", [*each, lib.find_tool("bsdtar"), "-tvf"], make.env),
                                              lib.Lane("lsr", [*each, *lsr], make.env),
                                              lib.Lane("lsr, one command", [*all_in_one, *lsr], make.env)],
               {"lsr": 0.38, "lsr, one command": 0.38}, SLOW_ROUNDS)


def rows_of(make, scratch, many, n_rows):
    return [*sqlar_rows(make, scratch), *tar_rows(make, scratch), *other_rows(make), *database_rows(make, n_rows),
            *content_rows(make), small_row(make, many)]


# --- measuring --------------------------------------------------------------------


def put_aside(scratch):
    """Nothing of a run before is in the way; nor is it removed before the row is done, see clear() of pack.py."""
    if (scratch / "out").exists():
        (scratch / "out").rename(scratch / f"old-{len(list(scratch.glob('old-*')))}")
    (scratch / "out").mkdir()
    subprocess.run(["sync"], check=True)


def race_row(row, raw, scratch, rounds):
    files = [scratch / row.bundle] if row.bundle else sorted((scratch / "many").iterdir())
    if row.cold:
        lib.race_apart(row.lanes, raw, scratch, rounds, lambda: drop(files))
        return
    if not row.fresh:
        warm(files)
    if row.unpacks:
        lib.race_apart(row.lanes, raw, scratch, rounds, lambda: put_aside(scratch))
        for old in [scratch / "out", *scratch.glob("old-*")]:
            shutil.rmtree(old)
    else:
        lib.race(row.lanes, raw, scratch, rounds, 1, cpus=row.cpus)


def prove(row, job):
    """Run each lane once, and tell how much it prints."""
    for lane in row.lanes:
        if row.unpacks:
            put_aside(job.scratch)
        out, _ = lib.capture(lane, job.scratch)
        job.commands.append(f"# {row.name}: {len(out.splitlines()):,} lines\n{lane.shell_line()}")


def peak_limit(row, base, job):
    """KiB, or None: none is known."""
    if base and row.name in PEAKS:
        lane = next(lane for lane in row.lanes if lane.label == "lsr")
        return PEAK_LIMIT * lib.peak_kib(lib.Lane("base", [base, *lane.argv[1:]], lane.env), job.scratch)
    return PEAK_LIMIT * PEAKS[row.name] if row.name in PEAKS and not job.quick else None


def measure_row(row, job, base):
    """Lines of the table, and of the table of differences."""
    scratch = job.scratch
    prove(row, job)
    raw = job.dir / f"{lib.slug(row.name)}.tsv"
    race_row(row, raw, scratch, QUICK_ROUNDS if job.quick else row.rounds or job.args.rounds)
    runs = lib.read_race(raw)
    walls = {lane.label: lib.median(runs[lane.label]["wall_ns"]) / 1e6 for lane in row.lanes}
    first = walls[row.lanes[0].label]
    size = os.path.getsize(scratch / row.bundle) / 1e6 if row.bundle else None
    peaks = {lane.label: lib.peak_kib(lane, scratch) for lane in row.lanes if row.bundle and not row.unpacks}
    highest = peak_limit(row, base, job)
    lib.say(row.name, *(f"{label} {wall / first:.3f}" for label, wall in walls.items()))
    table = []
    for label, wall in walls.items():
        cpu = lib.median([u + s for u, s in zip(runs[label]["user_us"], runs[label]["sys_us"])]) / 1e3
        limit, peak = row.limits.get(label), peaks.get(label)
        bounded = highest and label == "lsr"
        table.append([row.name, label, f"{size:,.1f}" if size else "", f"{wall:.2f}", f"{cpu:.2f}", f"{peak:,}" if peak else "",
                      f"{wall / first:.3f}", f"{limit}" if limit else "", lib.verdict(wall / first <= limit) if limit else "",
                      f"{highest:,.0f}" if bounded else "", lib.verdict(peak <= highest) if bounded else ""])
    more = []
    for label, other, ms, mib in row.over:
        by = walls[label] - walls[other]
        more.append([row.name, f"{label} over {other}", f"{by:.2f} ms", f"{ms} ms", lib.verdict(by <= ms)])
        if mib:
            by = (peaks[label] - peaks[other]) / 1024
            more.append([row.name, f"{label} over {other}", f"{by:.2f} MiB", f"{mib} MiB", lib.verdict(by <= mib)])
    return table, more


def measure(job):
    args, scratch = job.args, job.scratch
    tree, many = (QUICK_TREE, QUICK_MANY) if job.quick and args.tree == TREE else (args.tree, MANY)
    part = 50 if job.quick else 1
    rows = DATABASE_ROWS // part
    for name, *argv in (("bsdtar",), ("unzip", "unzip", "-v"), ("sqlite3",)):
        job.version(name, *argv)
    if rapidgzip := lib.find_peer("rapidgzip"):
        job.version("rapidgzip", rapidgzip, "--version")
    for name, n in ("app.db", rows), ("large.db", LARGE_ROWS // part), ("empty.db", 0):
        make_database(scratch, n, name)
    make_large_zip(scratch / "large.zip", MEMBERS // part)
    pack(job.lsr, tree, scratch, many)
    sizes = [p.stat().st_size for p in (scratch / "many").iterdir()]
    job.facts.update({"tree": tree, "database rows": f"{rows}", "large rows": f"{LARGE_ROWS // part}", "members": f"{MEMBERS // part}",
                      "small": f"{len(sizes)}", "small median": f"{lib.median(sizes):.0f}", "small most": f"{max(sizes)}"})
    if args.base:
        job.facts["peaks"] = f"those of a binary with the digest {lib.sha256(args.base)[:16]}"
    table, more = [], []
    # Not the C locale: bsdtar shows no names of a 7z that are not ASCII in it, and fails.
    for row in rows_of(Lanes(job.lsr, job.shell_env()), scratch, many, rows):
        lines, differences = measure_row(row, job, args.base)
        table += lines
        more += differences
    (job.dir / "tables.md").write_text(
        lib.table(["bundle", "command", "MB", "wall ms", "CPU ms", "peak KiB", "ratio", "limit", "", "limit of the peak", ""], table)
        + "\n" + lib.table(["bundle", "what", "more", "limit", ""], more, 2))


def render(run):
    facts = run.facts
    body = (f"Medians of interleaved runs, warm cache (each bundle is read from the disk once before its row), output to a pipe. The tree is `{facts['tree']}`, packed by GNU tar, "
            "gzip, zstd, zip, sqlite3, 7z and xorriso; `twice.tar.gz` has it twice. lsr runs with `--no-cache`, except in the row of the second listing. "
            "*As it was written*: the pages of the file are in the cache as sqlite3 has put them there; *cold*: they are not, but those "
            "of the programs are. On *one core* the commands are confined to it. "
            "CPU of lsr is that of the main process, without its worker; the peak of memory is the sum over all processes, "
            f"in a separate run, and its limit {PEAK_LIMIT} times {facts.get('peaks', 'what it was at 3c959f65')}. "
            f"The {int(facts['small']):,} small bundles hold {MANY_FILES} files of the tree each, all of at most "
            f"{MANY_FILE_MAX >> 10} KiB: the median bundle has {int(facts['small median']) / 1e3:,.0f} kB, the largest {int(facts['small most']) / 1e3:,.0f}; "
            "each is listed by a process of its own, started by busybox's xargs, or all by one (*one command*). "
            f"The database has a table of {int(facts['database rows']):,} rows and another of a hundredth of that; the large one has {int(facts['large rows']):,}. "
            f"The large zip has {int(facts['members']):,} members in directories of {MEMBERS_PER_DIR:,}.\n\n")
    return "Listing bundles", body + (run.path / "tables.md").read_text(), {}


def run(args):
    return lib.run_verb("bundles", args, measure, render)
