"""people - what people type: a checkout in colour, JSON, another format, a difference, a TAB

Each row is a command of lsr against what is used for it now, and a limit.  What cannot be had here is left out, and
the page says so.
"""
import os
import random
import re
import time

import lib

SUMMARY = "a checkout with git and icons, --json, packing again, --diff, completion, against eza, lsd, gzip, zstd, tar"

CHECKOUT_FILES, JSON_FILES, DIFF_FILES, COMPLETED_FILES = 2000, 120_000, 50_000, 50_000
CONVERTED_MB = 250  # of the .tar.gz, about;
RATIO = 3  # so much more of files go into it
PER_DIR = 100
QUICK = 20  # so much less of everything
ROUNDS = {"checkout": 30, "json": 9, "convert": 3, "diff": 7, "complete": 30}
COMPLETE_MS = 50
QUIET_S = 3  # a bundle that changed later is not remembered: LSR_CACHE_QUIET_S, and the step of a file's clock
NAME = re.compile(r"(?:file|new)-\d+\.\w+")
TITLES = {
    "checkout": "`lsr -l --git --icons --color=always`, a checkout of {CHECKOUT_FILES:,} files, against the fastest that can",
    "json": "`lsr --json -R` of {JSON_FILES:,} files, against `lsr -lR`",
    "convert": "`lsr --pack big.tar.gz --output=big.tar.zst`, {CONVERTED_MB} MB, against `gzip -dc | zstd -T0 -3`",
    "diff": "`lsr --diff dir dir.tar.zst` of {DIFF_FILES:,} files, against `tar --diff` of as many empty ones",
    "complete": "names in a remembered .tar.gz of {COMPLETED_FILES:,} members, as completion asks",
}
LIMITS = {"checkout": 0.5, "json": 1.3, "convert": 0.9, "diff": 0.5}


def add_options(parser):
    lib.add_options(parser)
    parser.add_argument("--rows", default="", metavar="LIST", help="only these rows: " + ", ".join(TITLES))


def make_files(top, files, size):
    """top/DDD/file-FF.txt, of up to @size bytes."""
    rand = random.Random(1)
    for d in range(max(files // PER_DIR, 1)):
        os.makedirs(f"{top}/{d:03}")
        for f in range(min(files, PER_DIR)):
            with open(f"{top}/{d:03}/file-{f:02}.txt", "wb", buffering=0) as file:
                file.write(rand.randbytes(rand.randrange(size + 1)))


def race(job, row, lanes, places):
    """{label: (median ms, rounds)}"""
    rounds = 3 if job.quick else ROUNDS[row]
    raw = job.dir / f"{row}.tsv"
    job.note(row, lanes)
    lib.race(lanes, raw, places, rounds, 1)
    return {label: (lib.median(run["wall_ns"]) / 1e6, rounds) for label, run in lib.read_race(raw).items()}


# --- rows -------------------------------------------------------------------------


def checkout_peers(place):
    """[(label, argv)] of those that are here and can; and why others are left out."""
    found, missing = [], []
    columns = {
        "eza": ["-l", "--group", "--links", "--git", "--icons=always", "--color=always"],
        "exa": ["-l", "--group", "--links", "--git", "--icons", "--color=always"],
        "lsd": ["-l", "--git", "--icon=always", "--color=always"],
    }
    for name, argv in columns.items():
        tool = lib.find_peer(name)
        # Without an operand eza 0.23 takes them from a standard input that is no terminal.
        lane = tool and lib.Lane(name, [tool, *argv, "."], {"LC_ALL": "C.UTF-8"})
        if not tool:
            missing.append(f"{name} is not here")
            continue
        if why := lacking(lane, place):
            missing.append(f"{name} here cannot do it: {why}")
        else:
            found.append(lane)
    return found, missing


def lacking(lane, place):
    """Why a lane does not do the same work as the others, or None: it prints a row for each of the files."""
    try:
        out, _ = lib.capture(lane, place)
    except lib.BenchError as error:
        return str(error)
    files = [name for name in os.listdir(place) if not name.startswith(".")]
    rows = {name for row in out.decode().splitlines() for name in NAME.findall(row)[:1]}
    return None if rows >= set(files) else f"it has rows for {len(rows & set(files))} of {len(files)} files"


def checkout(job, scale):
    """All of them in one directory, as that is what is listed; some changed, some new."""
    place = job.scratch / "checkout"
    files = CHECKOUT_FILES // scale
    place.mkdir()
    for i in range(files):
        (place / f"file-{i:04}.{('c', 'h', 'py', 'md', 'txt')[i % 5]}").write_text(f"content of {i}\n")
    lib.sh("git init -q . && git add . && git -c user.name=a -c user.email=b commit -q -m first && "
           "for f in *[05].c; do echo more >>$f; done && echo new >new-1.c && git status >/dev/null", place)
    peers, missing = checkout_peers(place)
    own = lib.Lane("lsr", [job.lsr, "-l", "--git", "--icons=always", "--color=always", "."], {"LC_ALL": "C.UTF-8"})
    if why := lacking(own, place):
        raise lib.BenchError(f"lsr: {why}")
    return race(job, "checkout", [*peers, own], place), missing


def json_(job, scale):
    make_files(job.scratch / "many", JSON_FILES // scale, 0)
    lanes = [lib.Lane("lsr -lR", [job.lsr, "-lR", "many"]), lib.Lane("lsr", [job.lsr, "--json", "-R", "many"])]
    return race(job, "json", lanes, job.scratch), []


def some_files(target):
    """Paths below / of what compresses as software does, until that is so large."""
    total = 0
    for top in ("/usr/lib", "/usr/share", "/usr/bin"):
        for at, dirs, names in os.walk(top):
            dirs.sort()
            for path in (os.path.join(at, name) for name in sorted(names)):
                if os.path.islink(path) or not os.path.isfile(path) or not path.isprintable():
                    continue
                yield path
                total += os.path.getsize(path)
                if total > target:
                    return


def convert(job, scale):
    """In turns, each with the listing not remembered; what is written is removed."""
    target = CONVERTED_MB * RATIO * 1_000_000 // scale
    (job.scratch / "list").write_text("".join(f"{path}\n" for path in some_files(target)))
    lib.sh(f"tar --no-recursion -C / -P -T list -cf - | {lib.find_peer('pigz', 'gzip')} -6 >big.tar.gz", job.scratch)
    size = os.path.getsize(job.scratch / "big.tar.gz") / 1e6
    commands = {
        "gzip -dc, zstd -T0 -3": "gzip -dc big.tar.gz | zstd -q -T0 -3 -o out.tar.zst",
        "lsr": f"XDG_CACHE_HOME=/dev/null {job.lsr} --pack big.tar.gz --output=out.tar.zst",
        "lsr --no-verify": f"XDG_CACHE_HOME=/dev/null {job.lsr} --pack big.tar.gz --no-verify --output=out.tar.zst",
    }
    job.commands += ["# convert", *commands.values(), ""]
    rounds, rand, walls, rows = 1 if job.quick else ROUNDS["convert"], random.Random(1), {c: [] for c in commands}, []
    for turn in range(rounds):
        for label in rand.sample(list(commands), len(commands)):
            ns, cpu = lib.timed_shell(commands[label], job.scratch, job.shell_env())
            walls[label].append(ns / 1e6)
            rows.append({"turn": turn, "lane": label, "wall_ns": ns, "cpu_s": f"{cpu:.2f}",
                         "bytes": os.path.getsize(job.scratch / "out.tar.zst")})
            (job.scratch / "out.tar.zst").unlink()
    lib.write_tsv(job.dir / "convert.tsv", rows)
    return {label: (lib.median(w), rounds) for label, w in walls.items()}, [f"the .tar.gz had {size:,.0f} MB"]


def diff(job, scale):
    """tar --diff reads all content, and cannot be told not to; of empty files it has only metadata to look at."""
    place = job.scratch / "diff"
    make_files(place / "d", DIFF_FILES // scale, 2000)
    make_files(place / "e/d", DIFF_FILES // scale, 0)
    lib.sh(f"{job.lsr} --pack d --output=d.tar.zst; {job.lsr} --pack -C e d --output=e.tar.zst", place)
    lanes = [lib.Lane("tar --diff, empty files", [lib.find_tool("tar"), "-C", "e", "--zstd", "--diff", "-f", "e.tar.zst"]),
             lib.Lane("tar --diff", [lib.find_tool("tar"), "--zstd", "--diff", "-f", "d.tar.zst"]),
             lib.Lane("lsr", [job.lsr, "--diff", "d", "d.tar.zst"])]
    return race(job, "diff", lanes, place), []


def complete(job, scale):
    """The command that the completions of bash run, and all of it in a shell that is there already."""
    place = job.scratch / "complete"
    cache = job.scratch / "cache"
    make_files(place / "d", COMPLETED_FILES // scale, 300 * scale)  # small bundles are not remembered
    lib.sh("tar -czf b.tar.gz d", place)
    time.sleep(QUIET_S)
    env = {"XDG_CACHE_HOME": str(cache)}
    lane = lib.Lane("lsr", [job.lsr, "--no-config", "-1UApN", "--only=file-1*", "--", "b.tar.gz/d/007/"], env)
    lib.capture(lib.Lane("", [job.lsr, "-R", "b.tar.gz"], env), place)
    if not any(path.is_file() for path in cache.rglob("*")):
        raise lib.BenchError("lsr does not remember b.tar.gz")
    return race(job, "complete", [lane], place), []


ROWS = {"checkout": checkout, "json": json_, "convert": convert, "diff": diff, "complete": complete}


def measure(job):
    names = job.args.rows.split(",") if job.args.rows else list(ROWS)
    if set(names) - set(ROWS):
        raise lib.BenchError(f"there are {', '.join(ROWS)}")
    for tool in ("eza", "exa", "lsd", "zstd", "gzip", "tar"):
        if lib.find_peer(tool):
            job.version(tool, lib.find_peer(tool), "--version")
    summary, notes = [], []
    for name in names:
        lib.say(name)
        lanes, said = ROWS[name](job, QUICK if job.quick else 1)
        notes += [{"row": name, "note": note} for note in said]
        peers = {label: ms for label, (ms, _) in lanes.items() if label not in ("lsr", "lsr --no-verify")}
        base = peers.get("tar --diff, empty files") or min(peers.values(), default=None)
        for label, (ms, rounds) in lanes.items():
            own = label == "lsr"
            ratio = ms / base if base else None
            good = ms <= COMPLETE_MS if name == "complete" else ratio is not None and ratio <= LIMITS[name]
            limit = f"{COMPLETE_MS} ms" if name == "complete" else LIMITS[name]
            summary.append({"row": name, "lane": label, "rounds": rounds, "ms": f"{ms:.1f}",
                            "ratio": f"{ratio:.3f}" if ratio else "", "limit": limit if own else "",
                            "verdict": lib.verdict(good) if own and (ratio or name == "complete") else ""})
            lib.say(*summary[-1].values())
    lib.write_tsv(job.dir / "summary.tsv", summary)
    if notes:
        lib.write_tsv(job.dir / "notes.tsv", notes)


def render(run):
    notes = run.tsv("notes.tsv") if run.has("notes.tsv") else []
    out = ["Wall time, warm cache, output into a pipe: medians of shuffled rounds.\n"]
    summary = run.tsv("summary.tsv")
    for name in dict.fromkeys(row["row"] for row in summary):
        out.append(f"## {TITLES[name].format(**globals())}\n")
        said = "; ".join(n["note"] for n in notes if n["row"] == name)
        if said:
            out.append(f"{said[0].upper()}{said[1:]}.\n")
        out.append(lib.table(["", "rounds", "ms", "ratio", "limit", ""],
                             [[r["lane"], r["rounds"], r["ms"], r["ratio"], r["limit"], r["verdict"]]
                              for r in summary if r["row"] == name]))
    return "What people type", "\n".join(out), {}


def run(args):
    return lib.run_verb("people", args, measure, render, "some rows" if args.rows else "")
