"""lib - what every benchmark verb shares

    commands    Lane: a label, an argv, an environment
    measuring   race() wall and rusage, count_syscalls(), count_instructions()
    numbers     median, quartiles, bootstrap interval of a ratio of medians
    facts       machine_facts(), version_facts()
    results     RunDir: complete under its name or not there at all; TSV, tables

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
import tempfile
from dataclasses import dataclass, field

BENCH = pathlib.Path(__file__).resolve().parent
REPO = BENCH.parent
RUNS = BENCH / "runs"
BUILD = REPO / "build" / "bench"

RUN_LIMIT_S = 120
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

def build_race():
    """Compile race.c if needed and return the program's path."""
    BUILD.mkdir(parents=True, exist_ok=True)
    source, program = BENCH / "race.c", BUILD / "race"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return program
    # Static keeps our own size, the floor of max RSS, small; not every system has libc.a.
    for extra in (["-static"], []):
        done = subprocess.run(["cc", "-O2", "-std=gnu11", *extra, "-o", f"{program}.new", str(source)],
                              capture_output=True, text=True)
        if done.returncode == 0:
            os.replace(f"{program}.new", program)
            return program
    raise BenchError(f"race.c does not compile:\n{done.stderr}")


def race(lanes, out, cwd, rounds, warmup, seed=1, cpus=None):
    """Run the lanes against each other; raw rows go to the TSV file out."""
    with tempfile.NamedTemporaryFile("w", suffix=".plan") as plan:
        for lane in lanes:
            fields = [lane.label, *(f"{k}={v}" for k, v in lane.env.items()), "--", *lane.argv]
            if any("\t" in f or "\n" in f for f in fields):
                raise BenchError(f"{lane.label}: tab or newline in a command")
            plan.write("\t".join(fields) + "\n")
        plan.flush()
        command = [str(build_race()), f"--plan={plan.name}", f"--out={out}", f"--rounds={rounds}",
                   f"--warmup={warmup}", f"--seed={seed}", f"--cwd={cwd}", f"--timeout={RUN_LIMIT_S}"]
        if cpus is not None:
            command.append(f"--cpus={cpus}")
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise BenchError(done.stderr.strip() or f"race: exit status {done.returncode}")


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


def table(head, rows):
    """A Markdown table; the first column is text, the others numbers."""
    rule = [":--"] + ["--:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, rule, *rows]) + "\n"
