"""lib - what every benchmark verb shares

    commands    Lane: a label, an argv, an environment
    measuring   race() and race_cold() wall and rusage, timed_shell(), count_syscalls(), count_instructions(),
                peak_kib()
    numbers     median, quartiles, bootstrap interval of a ratio of medians
    facts       machine_facts(), version_facts()
    results     RunDir: complete under its name or not there at all; TSV, tables
    verbs       add_options(), run_verb(): what every verb does around its own measuring

Tracing always happens in runs of its own, so that it never touches a time.
Python 3 standard library only.
"""
import contextlib
import csv
import datetime
import hashlib
import os
import pathlib
import platform
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

BENCH = pathlib.Path(__file__).resolve().parent
REPO = BENCH.parent
RUNS = BENCH / "runs"
BUILD = REPO / "build" / "bench"

CARGO_BIN = pathlib.Path.home() / ".cargo" / "bin"
ENGINES = ["sync", "threads", "uring"]
PICTURES = "pictures"       # beside the page

RUN_LIMIT_S = 300
RESAMPLES = 1000


class BenchError(Exception):
    """The measurement cannot go on; the text says why."""


@dataclass
class Lane:
    """One competitor: what is run, and under which name it is reported."""
    label: str
    argv: list
    env: dict = field(default_factory=dict)

    def shell_line(self):
        words = [f"{k}={shlex.quote(v)}" for k, v in self.env.items()]
        return " ".join(["env -i", *words, shlex.join(self.argv)])


# ---- measuring ---------------------------------------------------------------

def compile_c(name, *libraries):
    """Compile bench/NAME.c if needed and return the program's path."""
    BUILD.mkdir(parents=True, exist_ok=True)
    source, program = BENCH / f"{name}.c", BUILD / name
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    # Static keeps the size of race, the floor of max RSS, small; not every system has libc.a.
    for extra in (["-static"], []):
        done = subprocess.run(["cc", "-O2", "-std=gnu11", "-Wall", *extra, "-o", f"{program}.new", str(source), *libraries],
                              capture_output=True, text=True)
        if done.returncode == 0:
            os.replace(f"{program}.new", program)
            return program
    raise BenchError(f"{source.name} does not compile:\n{done.stderr}")


def race(lanes, out, cwd, rounds, warmup, seed=1, cpus=None):
    """Run the lanes against each other; raw rows go to the TSV file out."""
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        for lane in lanes:
            fields = [lane.label, *(f"{k}={v}" for k, v in lane.env.items()), "--", *lane.argv]
            if any("\t" in f or "\n" in f for f in fields):
                raise BenchError(f"{lane.label}: tab or newline in a command")
            plan.write("\t".join(fields) + "\n")
        plan.flush()
        command = [str(compile_c("race")), f"--plan={plan.name}", f"--out={out}", f"--rounds={rounds}",
                   f"--warmup={warmup}", f"--seed={seed}", f"--cwd={cwd}", f"--timeout={RUN_LIMIT_S}"]
        if cpus is not None:
            command.append(f"--cpus={cpus}")
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise BenchError(done.stderr.strip() or f"race: exit status {done.returncode}")


def drop_caches():
    subprocess.run(["sync"], check=True)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")


def can_drop_caches():
    return os.access("/proc/sys/vm/drop_caches", os.W_OK)


def race_apart(lanes, out, cwd, rounds, before, seed=1):
    """The same with before() called ahead of each run."""
    order, header, rows = random.Random(seed), "", []
    part = pathlib.Path(f"{out}.part")
    for turn in range(rounds):
        for lane in order.sample(lanes, len(lanes)):
            before()
            race([lane], part, cwd, 1, 0)
            header, row = part.read_text().splitlines()
            rows.append(f"{turn}\t" + row.partition("\t")[2])
    part.unlink()
    pathlib.Path(out).write_text("\n".join([header, *rows]) + "\n")


def race_cold(lanes, out, cwd, rounds):
    """The same with the kernel's caches dropped before each run; the programs come from the disk too."""
    race_apart(lanes, out, cwd, rounds, drop_caches)


def sh(command, cwd, env=None):
    """What prepares a measurement: a bash command that must not fail; returns what it printed."""
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=cwd, env=env, capture_output=True, text=True,
                          errors="replace")
    if done.returncode != 0:
        raise BenchError(f"{command}: {done.stderr.strip()[-400:]}")
    return done.stdout


def timed_shell(command, cwd, env, cold=False):
    """(ns, seconds of CPU) of one run of a bash command.  Its descendants count if they were waited for."""
    if cold:
        drop_caches()
    before, start = os.times(), time.monotonic_ns()
    done = subprocess.run(["bash", "-c", command], cwd=cwd, env=env, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    wall, after = time.monotonic_ns() - start, os.times()
    if done.returncode != 0:
        raise BenchError(f"{command}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def read_race(path):
    """{label: {column: [values by round]}} of a raw TSV file."""
    lanes = {}
    rows = read_tsv(path)
    rows.sort(key=lambda row: int(row["round"]))
    for row in rows:
        columns = lanes.setdefault(row["label"], {})
        for name, value in row.items():
            if name != "label":
                columns.setdefault(name, []).append(int(value))
    return lanes


def capture(lane, cwd, prefix=(), cpus=None):
    """Run a lane once, untimed, its output through a pipe: (stdout, stderr)."""
    def confine():
        if cpus is not None:
            os.sched_setaffinity(0, parse_cpus(cpus))
    done = subprocess.run([*prefix, *lane.argv], cwd=cwd, env=lane.env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=5 * RUN_LIMIT_S,
                          preexec_fn=confine)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()[-500:]
        raise BenchError(f"{lane.label}: exit status {done.returncode} of {shlex.join(lane.argv)}: {said}")
    return done.stdout, done.stderr.decode(errors="replace")


def count_syscalls(lane, cwd, cpus=None):
    """(total calls over all threads, strace's summary)."""
    strace = find_tool("strace")
    with tempfile.NamedTemporaryFile("r", suffix=".strace") as summary:
        capture(lane, cwd, [strace, "-f", "-c", "-o", summary.name], cpus)
        text = summary.read()
    match = re.search(r"^\s*100\.00\s+\S+\s+\S+\s+(\d+)\s+(?:\d+\s+)?total$", text, re.M)
    if match is None:
        raise BenchError(f"{lane.label}: strace's summary has no total")
    return int(match[1]), text


def syscall_names(text, most=4):
    """The most frequent calls of strace's summary: "30,012 statx, 12 mmap"."""
    rows = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", text, re.M)
    rows = sorted(((int(n), name) for n, name in rows if name != "total"), reverse=True)
    return ", ".join(f"{n:,} {name}" for n, name in rows[:most])


def count_instructions(lane, cwd):
    """Instructions in user space, by callgrind; None where that does not work."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return None
    try:
        said = capture(lane, cwd, [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null"])[1]
    except (BenchError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"Collected : (\d+)", said)
    return int(match[1]) if match else None


def peak_kib(lane, cwd):
    """The resident memory of a command and its children, the sum of their peaks: bench/peak.c."""
    done = subprocess.run([str(compile_c("peak")), *lane.argv], cwd=cwd, env=lane.env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=5 * RUN_LIMIT_S)
    if done.returncode != 0:
        raise BenchError(f"{lane.label}: {done.stderr.strip()[-300:]}")
    return int(done.stdout.split()[0])


def parse_cpus(text):
    cpus = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return cpus


def find_tool(name):
    path = shutil.which(name)
    if path is None:
        raise BenchError(f"{name} is missing; bench/peers.sh installs it")
    return path


def find_zig():
    """A binary of the Zig lsr: what LSR_ZIG names, or build/bench/lsr-zig; or None."""
    path = os.environ.get("LSR_ZIG") or str(BUILD / "lsr-zig")
    return os.path.abspath(path) if os.access(path, os.X_OK) else None


def find_peer(*names):
    """A competitor that need not be there, or None.

    What peers.sh builds of Go, C and Rust is there instead of an old one of the system.
    """
    places = os.pathsep.join([str(BUILD.parent / "tools"), str(BUILD), str(BUILD / "crates" / "bin"),
                              os.environ.get("PATH", os.defpath), str(CARGO_BIN), str(BUILD / "python" / "bin")])
    return next(filter(None, (shutil.which(name, path=places) for name in names)), None)


def place_lsr(lsr, scratch):
    """Copy the binary, so that a build during the run changes nothing: (lsr, ls)."""
    if not os.access(lsr, os.X_OK):
        raise BenchError(f"{lsr} is missing: build it, or name a binary with --lsr")
    home = pathlib.Path(scratch) / "bin"
    home.mkdir()
    shutil.copy2(lsr, home / "lsr")
    (home / "ls").symlink_to("lsr")
    return str(home / "lsr"), str(home / "ls")


# ---- numbers -----------------------------------------------------------------

def quantile(values, q):
    """Linear between the two nearest ranks."""
    ordered = sorted(values)
    position = q * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def median(values):
    return quantile(values, 0.5)


def ratio_intervals(series, against, resamples=RESAMPLES, seed=1):
    """{label: (low, high)}: 95 % bootstrap interval of median(label) / median(against).

    Whole rounds are drawn, so what slowed a round slows both sides of the ratio.
    """
    rng = random.Random(seed)
    n = len(series[against])
    ratios = {label: [] for label in series}
    for _ in range(resamples):
        rounds = rng.choices(range(n), k=n)
        medians = {label: median([values[i] for i in rounds]) for label, values in series.items()}
        for label in series:
            ratios[label].append(medians[label] / medians[against])
    return {label: (quantile(r, 0.025), quantile(r, 0.975)) for label, r in ratios.items()}


def summarize(raw, *against):
    """{label: columns} of what read_race() gave: medians, spread of the wall time, ratios to the lanes named."""
    walls = {label: columns["wall_ns"] for label, columns in raw.items()}
    intervals = {peer: ratio_intervals(walls, peer) for peer in against}
    rows = {}
    for label, c in raw.items():
        wall = walls[label]
        row = rows[label] = {"lane": label, "runs": len(wall)}
        for name, ns in (("median", median(wall)), ("min", min(wall)), ("max", max(wall)),
                         ("q1", quantile(wall, 0.25)), ("q3", quantile(wall, 0.75))):
            row[f"wall_{name}_ms"] = f"{ns / 1e6:.4f}"
        for peer in against:
            low, high = intervals[peer][label]
            row[f"ratio_{peer}"] = f"{median(wall) / median(walls[peer]):.4f}"
            row[f"ratio_{peer}_low"] = f"{low:.4f}"
            row[f"ratio_{peer}_high"] = f"{high:.4f}"
        row["cpu_ms"] = f"{median([u + k for u, k in zip(c['user_us'], c['sys_us'])]) / 1e3:.4f}"
        row["user_ms"] = f"{median(c['user_us']) / 1e3:.4f}"
        row["sys_ms"] = f"{median(c['sys_us']) / 1e3:.4f}"
        for column in ("maxrss_kib", "minflt", "nvcsw", "nivcsw", "bytes_out"):
            row[column] = f"{median(c[column]):.0f}"
    return rows


def ms(value):
    """Milliseconds, from a number or the text of one, as tables show them."""
    value = float(value)
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


# ---- facts -------------------------------------------------------------------

def first_line(*argv):
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return "not found"
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() if lines else "says nothing"


def read_text(path, default="unknown"):
    try:
        return pathlib.Path(path).read_text(errors="replace").strip()
    except OSError:
        return default


def cpu_model():
    match = re.search(r"^model name\s*:\s*(.+)$", read_text("/proc/cpuinfo", ""), re.M)
    return match[1].strip() if match else platform.machine()


def kernel_number():
    return re.match(r"[\d.]*\d|", platform.release())[0] or platform.release()


def default_label():
    """amd-epyc-6.18.44"""
    model = re.sub(r"\((R|TM)\)|\b(CPU|Processor|\d+-Core)\b|@.*", " ", cpu_model(), flags=re.I)
    return slug(model) + "-" + kernel_number()


def slug(text):
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")


def mount_of(path):
    """(mount point, type, source, options) of the file system that holds path."""
    wanted = os.stat(path).st_dev
    device = f"{os.major(wanted)}:{os.minor(wanted)}"
    for line in reversed(read_text("/proc/self/mountinfo", "").splitlines()):
        left, _, right = line.partition(" - ")
        if left.split()[2] == device:
            kind, source, super_options = right.split(" ", 2)
            return left.split()[4], kind, source, f"{left.split()[5]};{super_options}"
    return "unknown", "unknown", "unknown", "unknown"


def steal_ticks():
    return int(read_text("/proc/stat").split("\n")[0].split()[8])


def machine_facts(scratch):
    """Ordered {fact: text} about the machine, as it is now."""
    meminfo = dict(re.findall(r"^(\w+):\s+(\d+ kB)$", read_text("/proc/meminfo", ""), re.M))
    point, kind, source, options = mount_of(scratch)
    governors = {read_text(p) for p in pathlib.Path("/sys/devices/system/cpu").glob("cpu*/cpufreq/scaling_governor")}
    facts = {
        "cpu": cpu_model(),
        "cpus": f"{len(os.sched_getaffinity(0))} usable of {os.cpu_count()}",
        "governor": ", ".join(sorted(governors)) or "none visible",
        "virtual": "yes (hypervisor flag)" if " hypervisor" in read_text("/proc/cpuinfo", "") else "no hypervisor flag",
        "memory": f"{meminfo.get('MemTotal', 'unknown')} in all, {meminfo.get('MemAvailable', 'unknown')} available",
        "kernel": f"{platform.system()} {platform.release()} {platform.version()}",
        "io_uring_disabled": read_text("/proc/sys/kernel/io_uring_disabled", "no such setting"),
        "file system": kind,
        "mount": f"{source} on {point}, {options}",
        "user": f"uid {os.getuid()}",
        "load": " ".join(f"{x:.2f}" for x in os.getloadavg()),
    }
    for path in sorted(pathlib.Path("/sys/devices/system/cpu/vulnerabilities").glob("*")):
        facts[f"vulnerability {path.name}"] = read_text(path)
    return facts


def git_commit():
    """Commit of the tree, marked when files differ from it."""
    def git(*words):
        return subprocess.run(["git", "-C", str(REPO), *words], capture_output=True, text=True)
    head = git("rev-parse", "--verify", "-q", "HEAD").stdout.strip()
    if not head:
        return "no commit yet"
    dirty = git("status", "--porcelain", "--untracked-files=no").stdout.strip()
    return head + (", with uncommitted changes" if dirty else "")


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def version_facts(ls, busybox, lsr):
    return {
        "ls": first_line(ls, "--version"),
        "busybox": first_line(busybox),
        "lsr": first_line(lsr, "--version"),
        "lsr commit": git_commit(),
        "lsr sha256": sha256(lsr),
        "strace": first_line("strace", "--version"),
        "valgrind": first_line("valgrind", "--version"),
        "cc": first_line("cc", "--version"),
        "liburing": first_line("pkg-config", "--modversion", "liburing"),
        "libc": " ".join(platform.libc_ver()),
        "python": platform.python_version(),
    }


# ---- results -----------------------------------------------------------------

class RunDir:
    """A run's directory: written beside its name, moved there when complete.

    An interrupted or failed run leaves an earlier one of the same label as it was.
    """
    def __init__(self, parent, label):
        date = datetime.date.today().isoformat()
        self.name = f"{date}-{slug(label)}"
        self.final = pathlib.Path(parent) / self.name
        self.path = pathlib.Path(parent) / f".{self.name}.partial"

    def __enter__(self):
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        if self.final.exists():
            shutil.rmtree(self.final)
        self.path.rename(self.final)


@contextlib.contextmanager
def scratch_dir(parent):
    """A directory that is gone afterwards, whatever happens."""
    path = tempfile.mkdtemp(prefix="lsr-bench-", dir=parent)
    try:
        yield pathlib.Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def write_tsv(path, rows):
    """rows: dicts with the same keys."""
    with open(path, "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys(), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read_tsv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def verdict(reached):
    return "reached" if reached else "**not reached**"


def write_facts(path, facts):
    width = max(map(len, facts)) + 2
    pathlib.Path(path).write_text("".join(f"{k + ':':<{width}}{v}\n" for k, v in facts.items()))


def read_facts(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return {k: v.strip() for k, _, v in (line.partition(":") for line in lines)}


def write_whole(path, text):
    """Replace a file in one step."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_text(text)
    os.replace(new, path)


def table(head, rows, texts=1):
    """A Markdown table; the first columns are text, the others numbers."""
    rule = [":--"] * texts + ["--:"] * (len(head) - texts)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, rule, *rows]) + "\n"


# ---- verbs -------------------------------------------------------------------

@dataclass
class Job:
    """A run in progress.  What measure() adds to facts, versions and commands is written at its end."""
    args: object
    scratch: pathlib.Path
    dir: pathlib.Path           # the run's directory
    lsr: str
    as_ls: str
    facts: dict
    versions: dict
    commands: list = field(default_factory=list)

    @property
    def quick(self):
        return self.args.quick

    def note(self, head, lanes):
        """Lanes, for commands.txt."""
        self.commands += [f"# {head}", *(f"{lane.label}: {lane.shell_line()}" for lane in lanes), ""]

    def version(self, name, *argv):
        self.versions[name] = first_line(*(argv or (name, "--version")))

    def shell_env(self):
        return {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"], "HOME": str(self.scratch),
                "XDG_CACHE_HOME": str(self.scratch / "cache")}


@dataclass
class Run:
    """A finished run, for whoever renders it."""
    path: pathlib.Path
    facts: dict
    versions: dict

    def has(self, name):
        return (self.path / name).exists()

    def tsv(self, name):
        return read_tsv(self.path / name)


def say(*words):
    print("bench:", *words, file=sys.stderr, flush=True)


def add_options(parser, render=True):
    parser.add_argument("--quick", action="store_true",
                        help="small sizes, few rounds; results go to build/bench/runs, the page to standard output")
    parser.add_argument("--label", help="name of the run between date and verb (default: CPU and kernel)")
    parser.add_argument("--lsr", default=str(REPO / "build" / "release" / "lsr"),
                        help="the binary to measure (default: build/release/lsr)")
    parser.add_argument("--scratch", default=os.environ.get("TMPDIR", "/tmp"),
                        help="where files are made (default: $TMPDIR or /tmp)")
    if render:
        parser.add_argument("--render", type=pathlib.Path, metavar="RUN",
                            help="measure nothing, write the page anew from this run's directory")


def run_verb(verb, args, measure, render, partial=""):
    """Measure into a run's directory, then make the page from that directory alone.

    measure(job) writes into job.dir; render(run) returns a title, Markdown, and {name: SVG}.
    partial says why a run that is not quick makes no page either.
    """
    if args.render:
        return publish(verb, args.render, render)
    mode = "quick" if args.quick else partial or "full"
    # What makes no page must not replace a run that made one.
    parent = RUNS if mode == "full" else BUILD / "runs"
    with RunDir(parent, f"{args.label or default_label()}-{verb}") as run_dir, scratch_dir(args.scratch) as scratch:
        start, steal = time.time(), steal_ticks()
        facts = {"date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), "mode": mode}
        facts.update(machine_facts(scratch))
        lsr, as_ls = place_lsr(args.lsr, scratch)
        job = Job(args, scratch, run_dir.path, lsr, as_ls, facts, version_facts("/usr/bin/ls", "busybox", lsr))
        measure(job)
        facts["load at the end"] = " ".join(f"{x:.2f}" for x in os.getloadavg())
        facts["stolen"] = f"{steal_ticks() - steal} ticks of {os.sysconf('SC_CLK_TCK')} per second, over all CPUs"
        facts["duration"] = f"{time.time() - start:.0f} s"
        write_facts(run_dir.path / "machine.txt", facts)
        write_facts(run_dir.path / "versions.txt", job.versions)
        head = [f"# lsr is a copy of {os.path.relpath(args.lsr, REPO)}; see bench/README.md", ""]
        commands = "\n".join(head + job.commands) + "\n"
        # Where the repository lies is nobody's business, and a command can be copied.
        (run_dir.path / "commands.txt").write_text(commands.replace(f"{REPO}/", ""))
    say(f"results in {run_dir.final}")
    return publish(verb, run_dir.final, render)


def publish(verb, path, render):
    path = pathlib.Path(path).resolve()
    run = Run(path, read_facts(path / "machine.txt"), read_facts(path / "versions.txt"))
    name = str(path.relative_to(REPO)) if path.is_relative_to(REPO) else path.name
    title, body, pictures = render(run)
    page = f"# {title}\n\n{provenance(verb, name, run)}\n{body}"
    # Only full runs make pages; those that are older than this line all were.
    full = run.facts.get("mode", "full") == "full" and path.is_relative_to(REPO)
    place = REPO / "docs" if full else path
    for picture, svg in pictures.items():
        write_whole(place / PICTURES / picture_name(verb, picture), svg)
    write_whole(place / f"bench-{verb}.md", page)
    if full:
        say(f"docs/bench-{verb}.md written from {name}")
    else:
        print(page, end="")
    return 0


def picture_name(verb, name):
    return f"bench-{verb}-{name}.svg"


def picture(verb, name, text):
    """What a page says where a picture stands."""
    return f"![{text}]({PICTURES}/{picture_name(verb, name)})\n"


def mitigations(facts):
    """What of the CPU's weaknesses is mitigated: it sets the price of a system call."""
    found = [f"{k.split()[1]}: {v}" for k, v in facts.items() if k.startswith("vulnerability") and v != "Not affected"]
    return "; ".join(found) or "none on record"


def provenance(verb, name, run):
    """The table that every page begins with."""
    f = run.facts.get
    rows = [["measured", f"{f('date', 'see the name of the run')}, mode {f('mode', 'full')}, {f('duration', 'duration unknown')}"],
            ["CPU", f"{f('cpu')}, {f('cpus')}, governor: {f('governor')}, virtual: {f('virtual')}"],
            ["mitigations", mitigations(run.facts)],
            ["memory", f("memory")],
            ["kernel", f"{f('kernel')}, io_uring_disabled {f('io_uring_disabled')}"],
            ["file system", f"{f('file system')}, {f('mount')}"],
            ["load", f"{f('load')} at the start, {f('load at the end', 'unknown')} at the end; stolen {f('stolen', 'unknown')}"],
            ["lsr", f"{run.versions['lsr']}, {run.versions['lsr commit']}"],
            ["peers", "; ".join(v if k.split()[0] in v else f"{k} {v}" for k, v in run.versions.items() if k not in NO_PEERS)]]
    lines = "\n".join(f"| {k} | {v} |" for k, v in rows)
    return f"Generated by `bench/bench {verb}` from the run `{name}`; do not edit.\n\n| | |\n| :-- | :-- |\n{lines}\n"


NO_PEERS = {"lsr", "lsr commit", "lsr sha256", "strace", "valgrind", "cc", "liburing", "libc", "python"}
