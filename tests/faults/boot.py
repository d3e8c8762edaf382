#!/usr/bin/env python3
"""boot.py --lsr BINARY [--kernel IMAGE]... [--debian SUITE,...] - lsr on other kernels

BINARY, with what it reads, becomes the initramfs of kernels that qemu boots: of each IMAGE (a vmlinuz), and of those of
Debian's releases, whose packages `apt-get download` fetches and checks as apt does, in a root of its own below
build/kernels, where the kernels stay.  There commands run on every engine, as root and as an ordinary user, and without
/proc (boot.sh).  Each must print, say, make and end as on the kernel here, where the same script runs in a chroot on a
tmpfs, or as the ls of GNU does beside it.  Each kernel is booted twice: as it comes, and with less, which is one old
processor, no Landlock, and no rings, executable memfds and user namespaces where that can be set.  What is not the same
on a kernel is in explained(), with the reason.  The machine is emulated and has no disk.  Needs root, x86-64, qemu,
bsdtar, 7z, getfattr and a static busybox; skipped otherwise.  Prints a line for each boot, and `N passed, N failed, N
skipped`.
"""
import argparse
import difflib
import gzip
import io
import os
import re
import shlex
import shutil
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile

import faults

HERE = os.path.dirname(os.path.abspath(__file__))
UNPACK = ("dpkg-deb --fsys-tarfile linux-image-*.deb | tar -x --strip-components=2 --wildcards './boot/vmlinuz-*'; "
          "rm -r linux-image-*.deb apt")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
TOOLS = ["qemu-system-x86_64", "bsdtar", "7z", "unshare", "getfattr", "busybox"]
NOT_JSON = 's/"(atime|ctime|btime|inode|dev)":("[^"]*"|[0-9]+),?//g'
FULL = "--time-style=full-iso"
PACKED = ["tar", "tar.gz", "tar.zst", "tar.xz", "tar.bz2", "tar.lz4", "zip", "sqlar"]
MADE = {"cpio": "newc", "7z": "7zip", "iso": "iso9660", "a": "gnutar"}  # by bsdtar
USER = 1000
FAILURES_SHOWN = 40  # of a boot
RESULTS = ["status", "err", "out", "made"]
ATTRIBUTES = {
    "privileged": {
        "trusted.colour": b"red",
        "security.capability": struct.pack("<5I", 0x02000001, 1, 0, 0, 0),
        "system.posix_acl_access": faults.acl(0o640, USER),
    },
    "everybody": {"user.colour": b"red"},
}

# --- what is read there ------------------------------------------------------------------


def make_odd(path):
    """Names, types, modes, owners and times that are not usual; times are of whole seconds, as a cpio has no others."""
    os.makedirs(f"{path}/dir with space/.hidden")
    for name in [*"*é日", "new\nline", "tab\tand \x1b[31mred", "-dash", "quote'\"s", ".dot", "x" * 255]:
        with open(f"{path}/{name}", "wb") as f:
            f.write(name.encode())
    with open(os.fsencode(path) + b"/not\xffutf-8", "wb"):
        pass
    os.mkfifo(f"{path}/fifo", 0o600)
    os.mknod(f"{path}/null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.symlink("nowhere", f"{path}/broken")
    os.symlink("loop", f"{path}/loop")
    os.symlink("dir with space", f"{path}/to dir")
    for name, mode, owner in (("set", 0o6755, 0), ("closed", 0, 0), ("owned", 0o640, USER), ("nobody's", 0o604, 54321)):
        with open(f"{path}/{name}", "wb") as f:
            f.write(b"secret\n")
        os.chown(f"{path}/{name}", owner, owner)
        os.chmod(f"{path}/{name}", mode)
    os.mkdir(f"{path}/private", 0o700)
    for i, name in enumerate(sorted(os.listdir(path))):
        os.utime(f"{path}/{name}", (10**9 + i, 10**9 + i * 86400), follow_symlinks=False)
    os.utime(f"{path}/*", (0, 0))
    os.utime(f"{path}/.dot", (2**31 + 5, 2**31 + 5))
    os.utime(path, (10**9, 10**9))


def without_attributes(path):
    """The tree of faults.py has some; a cpio has none."""
    for directory, names, others in os.walk(path):
        for name in names + others:
            for attribute in os.listxattr(f"{directory}/{name}", follow_symlinks=False):
                os.removexattr(f"{directory}/{name}", attribute, follow_symlinks=False)


def make_fixtures(lsr, path):
    """Everything below /w."""
    os.mkdir(path)
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    run = lambda *argv: subprocess.run(argv, cwd=path, check=True, capture_output=True, env=environment)
    faults.make_tree(f"{path}/tree", 1)
    faults.make_tree(f"{path}/other", 2)
    without_attributes(path)
    os.mkdir(f"{path}/made", 0o777)
    os.chmod(f"{path}/made", 0o777)
    for name, attributes in ATTRIBUTES.items():
        os.mkdir(f"{path}/{name}")
        with open(f"{path}/{name}/marked", "wb") as f:
            f.write(b"text\n")
        for attribute, value in attributes.items():
            os.setxattr(f.name, attribute, value)
        run(lsr, "--pack", name, f"--output={name}.tar.zst", "--mtime=@1000000000")
        shutil.rmtree(f"{path}/{name}")
    make_odd(f"{path}/odd")
    os.mkdir(f"{path}/many")
    for i in range(400):
        with open(f"{path}/many/a name of some length {i}", "wb") as f:
            f.write(bytes(i))
        os.utime(f.name, (10**9 + i, 10**9 + i))
    for form in PACKED:
        run(lsr, "--pack", "tree", f"--output=x.{form}")
    run(lsr, "--pack", "odd", "--output=odd.tar.zst")
    for form, name in MADE.items():
        run("bsdtar", "--format", name, "-cf", f"x.{form}", "tree")
    run("7z", "a", "-psecret", "locked.7z", "tree")
    faults.make_database(f"{path}/x.db", 20, 100)
    with open(f"{path}/x.zip", "rb") as f, gzip.open(f"{path}/x.zip.gz", "wb") as to:
        to.write(f.read())
    run("bsdtar", "-czf", "nested.tar.gz", "x.zip", "x.7z", "x.db", "x.tar.zst")
    with open(f"{path}/zeros", "wb") as f:
        f.truncate(70 << 20)  # more than a spool has in memory
    run("bsdtar", "--format", "zip", "--options", "zip:compression=store", "-czf", "zeros.zip.gz", "zeros")
    os.unlink(f"{path}/zeros")
    with open(f"{path}/x.tar.gz", "rb") as f, open(f"{path}/cut.tar.gz", "wb") as to:
        to.write(f.read()[:200000])
    os.utime(path, (10**9, 10**9))


def with_libraries(root, program, to):
    """A program of ours in there, with what it is linked to."""
    os.makedirs(os.path.dirname(root + to), exist_ok=True)
    shutil.copy2(shutil.which(program), root + to)
    listed = subprocess.run(["ldd", root + to], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"(/\S+) \(0x", listed):
        os.makedirs(os.path.dirname(root + library), exist_ok=True)
        shutil.copy2(os.path.realpath(library), root + library)


def remote_beside(args):
    return os.path.join(os.path.dirname(args.lsr), "lsr-remote")


def make_root(args, root, jobs):
    for name in "bin proc sys devices dev ram out root cache tmp var/tmp etc home".split():
        os.makedirs(f"{root}/{name}")
    for name in ("tmp", "var/tmp", "cache"):
        os.chmod(f"{root}/{name}", 0o1777)
    os.chmod(f"{root}/root", 0o700)
    for name, major, minor in (("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("console", 5, 1), ("ttyS1", 4, 65)):
        os.mknod(f"{root}/dev/{name}", stat.S_IFCHR | 0o666, os.makedev(major, minor))
        os.chmod(f"{root}/dev/{name}", 0o666)
    users = f"root:x:0:0::/root:/bin/sh\nann:x:{USER}:{USER}::/home:/bin/sh\n"
    for name, text in (("passwd", users), ("group", f"root:x:0:\nann:x:{USER}:\n"), ("hosts", "127.0.0.1 localhost\n")):
        with open(f"{root}/etc/{name}", "w", encoding="utf-8") as f:
            f.write(text)
    with_libraries(root, args.lsr, "/bin/lsr")
    with_libraries(root, "ls", "/gnu/ls")
    for program in ("busybox", "getfattr"):
        with_libraries(root, program, f"/bin/{program}")
    if os.path.exists(remote_beside(args)):
        with_libraries(root, remote_beside(args), "/bin/lsr-remote")
    os.symlink("busybox", f"{root}/bin/sh")
    os.symlink("../init", f"{root}/bin/beside")
    shutil.copy(f"{HERE}/boot.sh", f"{root}/init")
    os.chmod(f"{root}/init", 0o755)
    make_fixtures(args.lsr, f"{root}/w")
    with open(f"{root}/jobs", "w", encoding="utf-8") as f:
        for i, job in enumerate(jobs):
            f.write(shlex.join(["job", str(i), str(job), job.engine, job.user, job.gone, job.command]) + "\n")


# --- what is run there -------------------------------------------------------------------


class Job:
    def __init__(self, name, command, engine, user="root", gone=""):
        self.name, self.command, self.engine, self.user, self.gone = name, command, engine, user, gone

    def __str__(self):
        return f"{self.name} ({self.engine}, {self.user}{', no ' + self.gone if self.gone else ''})"


def file_commands():
    """What asks engines for much, by name; `made` and /ram is where they write."""
    yield "list", f"lsr -al {FULL} tree odd"
    yield "list -R", f"lsr -lRA {FULL} tree odd other"
    yield "list many", f"lsr -l {FULL} many"
    yield "list many names", "lsr many"
    yield "list by time", f"lsr -lt {FULL} many odd"
    yield "list owners", f"lsr -lans {FULL} odd"
    yield "list UTF-8", f"LC_ALL=C.UTF-8 lsr -la {FULL} odd"
    yield "list links", f"lsr -lL {FULL} odd"
    yield "list lists", f"lsr -l --acl -Z {FULL} tree"
    yield "list nothing", "lsr -l nothing tree/b"
    yield "tree", f"lsr --tree -la {FULL} tree odd"
    yield "json", f"set -o pipefail; lsr --json -R tree odd many | sed -E '{NOT_JSON}'"
    yield "total size", f"lsr -l --total-size {FULL} . --hide=made"
    for form in PACKED:
        yield f"pack {form}", f"lsr --pack --output=made/y.{form} tree"
    yield "pack odd", "lsr --pack --output=made/y.tar odd"
    yield "pack many", "lsr --pack --output=made/y.tar.zst many"
    yield "pack over", "cp x.zip made/y.tar.zst && lsr --pack --force --output=made/y.tar.zst tree"
    yield "pack to a pipe", "set -o pipefail; lsr --pack --output=- --bundle-format=tar.gz tree | cat >made/y.tar.gz"
    yield "pack to ramfs", ": made; lsr --pack --output=/ram/y.zip tree"
    yield "attributes", (f"lsr --unpack privileged.tar.zst --output=made && lsr -l --acl {FULL} made/privileged && "
                         "lsr --pack made/privileged --output=made/y.tar")
    yield "diff", "lsr --diff --content tree x.zip"
    yield "diff other", "lsr --diff --content other x.tar.zst"
    yield "engine", "set -o pipefail; lsr -l --stats many 2>&1 >/dev/null | grep ^engine"
    yield "beside ls, files", f"beside -al {FULL} tree odd"
    yield "beside ls, trees", "beside -alRi --time-style=full-iso /w/tree /w/odd /w/many"
    yield "beside ls, sysfs", "beside -alR --time-style=+ /sys/class /sys/kernel/mm"
    yield "beside ls, devices", "beside -al --time-style=+ /devices"
    yield "beside ls, processes", "beside -al --time-style=+ /proc/sys/kernel /proc/1/fd /proc/1/ns"
    yield "beside ls, errors", "beside -al --time-style=+ /root /var /none"


def bundle_commands():
    for form in [*PACKED, *MADE, "db", "zip.gz"]:
        yield f"list {form}", f"lsr -lR {FULL} x.{form}/"
        yield f"check {form}", f"lsr --check x.{form}"
    for form in [*PACKED, *MADE, "zip.gz"]:
        yield f"cat {form}", f"lsr --cat x.{form}/tree/d/c x.{form}/tree/b"
        yield f"unpack {form}", f"lsr --unpack x.{form} --output=made/out"
    yield "unpack odd", "lsr --unpack odd.tar.zst --output=made/out"
    yield "unpack over", "cp -r other made/tree && lsr --unpack --force x.tar.zst --output=made"
    yield "unpack to ramfs", ": made; lsr --unpack x.zip --output=/ram/out"
    yield "unpack cut", "lsr --unpack cut.tar.gz --output=made/out"
    yield "user attributes", "lsr --unpack everybody.tar.zst --output=made"
    yield "list attributes", f"lsr -lR --acl {FULL} privileged.tar.zst"
    yield "list nested", f"lsr -lR --bundles=always {FULL} nested.tar.gz"
    yield "list locked", f"lsr -lR {FULL} locked.7z"
    yield "cat locked", "lsr --cat locked.7z/tree/b"
    yield "cat row", "lsr --cat x.db/t/7/b"
    yield "stdin", f"lsr -lR {FULL} - <x.tar.gz"
    yield "stdin zip", f"cat x.zip | lsr -lR {FULL} -"
    yield "stdin 7z", f"cat x.7z | lsr -lR {FULL} -"
    yield "convert", "lsr --pack --output=made/y.zip x.tar.zst"
    yield "confined", "set -o pipefail; lsr --stats x.zip 2>&1 >/dev/null | grep ^parser"
    yield "confine", "lsr --confine=required -l x.7z"


def slow_commands(args):
    if os.path.exists(remote_beside(args)):
        yield "remote", f"lsr -lR {FULL} http://127.0.0.1:8080/x.zip"
        yield "remote cat", "lsr --cat http://127.0.0.1:8080/x.tar.zst/tree/d/c"
    yield "list zeros", "lsr -l --time-style=+ zeros.zip.gz/"
    yield "compare", "lsr --compare --runs=1 --formats=tar,zip tree"


def all_jobs(args):
    jobs, two = [], ["auto", "uring"]
    every = two if args.quick else faults.ENGINES
    for engines, these in (every, file_commands()), (two, bundle_commands()), (["auto"], slow_commands(args)):
        for command in these:
            jobs += [Job(*command, engine) for engine in engines] + [Job(*command, "auto", "ann")]
            jobs += [Job(*command, "auto", "root", "/proc")] if "/proc" not in command[1] else []
    return [job for job in jobs if args.only in str(job)]


# --- kernels -----------------------------------------------------------------------------


def said(where, *argv):
    return subprocess.run(argv, cwd=where, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout.decode()


def kernel_of_debian(suite, keep):
    """The kernel of that release, kept below @keep; apt checks who signed what it fetches."""
    kept = os.path.join(keep, suite)
    images = [name for name in os.listdir(kept) if name.startswith("vmlinuz")] if os.path.isdir(kept) else []
    if not images:
        shutil.rmtree(kept, ignore_errors=True)
        sites = said("/", "apt-get", "indextargets", "--format", "$(RELEASE) $(SITE)", "Created-By: Packages").split("\n")
        mirror = next(site.split()[1] for site in sites if site and not re.search("security|updates", site))
        for name in ("etc/preferences.d", "lists/partial", "cache/archives/partial"):
            os.makedirs(f"{kept}/apt/{name}")
        with open(f"{kept}/apt/etc/sources.list", "w", encoding="utf-8") as f:
            f.write(f"deb [signed-by={KEYS} arch=amd64 target=Packages] {mirror} {suite} main\n")
        options = [f"-oDir::Etc={kept}/apt/etc", f"-oDir::State::lists={kept}/apt/lists", "-oAcquire::Retries=3",
                   "-oDir::Etc::sourceparts=/dev/null", "-oDir::State::status=/dev/null", "-oAPT::Sandbox::User=root"]
        options += ["-oAPT::Architecture=amd64", f"-oDir::Cache={kept}/apt/cache"]
        said(kept, "apt-get", *options, "update")
        depends = said(kept, "apt-cache", *options, "depends", "linux-image-amd64")
        said(kept, "apt-get", *options, "download", re.search(r"(?m)^ *Depends: (linux-image-\S+)$", depends)[1])
        said(kept, "sh", "-ec", UNPACK)
        images = [name for name in os.listdir(kept) if name.startswith("vmlinuz")]
    return os.path.join(kept, images[0])


MACHINES = {  # the processor and the words for the kernel
    "as it comes": (["-cpu", "max", "-smp", "2"], ""),
    "with less": (["-cpu", "qemu64", "-smp", "1"], "lsr.less lsm=lockdown"),
}


def results_of(data):
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as t:
            return {member.name[2:]: t.extractfile(member).read() for member in t if member.isfile()}
    except (tarfile.TarError, EOFError, OSError):
        return {}


def run_here(where, seconds):
    """The same on the kernel here, with no more of it than a guest has."""
    script = ('mkdir "$1/here" && mount -t tmpfs -o mode=755 none "$1/here" && '
              'bsdtar -xpf "$1/root.cpio" -C "$1/here" && exec chroot "$1/here" /init here')
    alone = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child"]
    done = subprocess.run([*alone, "sh", "-c", script, "sh", where], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          check=True, timeout=seconds, env={"PATH": os.environ["PATH"]})
    return results_of(done.stdout)


def run_there(where, image, machine, seconds):
    """What came of it there, and the end of what the kernel said."""
    processor, words = MACHINES[machine]
    files = [f"{where}/console", f"{where}/results"]
    argv = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", *processor, "-m", "768", "-nodefaults", "-no-reboot",
            "-display", "none", "-kernel", image, "-initrd", f"{where}/root.cpio.gz",
            "-append", f"console=ttyS0 quiet panic=-1 {words}",
            *(word for file in files for word in ("-serial", f"file:{file}"))]
    end = ""
    try:
        subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
                       timeout=seconds)
    except subprocess.TimeoutExpired:
        end = f"it does not end within {seconds} s"
    except subprocess.CalledProcessError as failed:
        end = failed.stdout.decode(errors="replace")
    console, results = (open(file, "rb").read() if os.path.exists(file) else b"" for file in files)
    return results_of(results), console.decode(errors="replace")[-1000:] + end


# --- what must come of it ----------------------------------------------------------------


def steady(job, what, text):
    """Without what differs from run to run: times, and all numbers of a comparison."""
    if what == "err":
        return re.sub(rb"[0-9.]+ s$", b"N s", text, flags=re.M)
    if what == "out" and job.name == "compare":
        rows = rb"(?m)^(?:files|tar|zip)\b[^0-9]*(?=  )|^.* failed: .*|did not see the same bytes"
        return b"\n".join(re.findall(rows, text))
    if what == "out" and job.name == "attributes":
        return re.sub(rb"(?m)^drwx.*(?= \.)", b"", text)
    return text


def explained(job, facts, wanted):
    """What must come of it on a kernel of these facts, if not what comes of it here; None: nothing can be said."""
    version = tuple(map(int, re.match(r"(\d+)\.(\d+)", facts).groups()))
    ringless = "io_uring_disabled=2" in facts
    if ringless and job.engine == "uring":
        # An engine that was asked for by name and is refused says so.
        alone = job.command.startswith("lsr ") and "&&" not in job.command
        refused = b"lsr: engine 'uring' cannot run here: Operation not permitted\n"
        shown = wanted if job.name == "list many names" else {}  # which asks a ring for nothing, and is refused at the end
        return {**shown, "status": b"2\n", "err": refused} if alone else None
    if ringless and job.name == "compare" and not job.gone:
        # The way through a ring failed, of which the table says so.
        return None
    if ringless and job.name == "engine" and job.engine == "auto":
        return {**wanted, "out": b"engine           threads\n"}
    if job.name.startswith("beside"):
        return {"status": b"0\n", "out": b"same\n"}
    if job.name == "user attributes" and version < (6, 6):
        # A tmpfs has none before.
        refused = b"user.colour of 'made/everybody/marked': Operation not supported\n"
        return {**wanted, "status": b"1\n", "err": b"lsr: 1 extended attribute cannot be restored: " + refused,
                "made": re.sub(rb"(?m)^# file: .*\nuser.colour=.*\n\n", b"", wanted["made"])}
    return wanted


def problem_of(job, wanted, got):
    if "status" not in got:
        return "nothing came of it"
    for what in RESULTS:
        ours, theirs = (steady(job, what, results.get(what, b"")).decode("utf-8", "backslashreplace").splitlines()
                        for results in (wanted, got))
        if ours != theirs and what == "status":
            said_there = got["err"].decode("utf-8", "backslashreplace")
            return f"status {' '.join(theirs)}, not {' '.join(ours)}: {said_there[:500].rstrip()}"
        if ours != theirs:
            lines = [line[:200] for line in difflib.unified_diff(ours, theirs, lineterm="", n=0)][2:]
            return f"another {what}\n    " + "\n    ".join(line for line in lines if not line.startswith("@@"))[:2000]
    return None


def of_job(results, i):
    return {what: results[f"{i}.{what}"] for what in RESULTS if f"{i}.{what}" in results}


def judge(what, jobs, here, results, console):
    """How many were right and not; says what was not."""
    facts = results.get("facts", b"").decode()
    if not facts:
        print(f"{what}: nothing came of it; its last words:\n{console}")
        return 0, len(jobs)
    passed = failed = 0
    for i, job in enumerate(jobs):
        wanted = explained(job, facts, of_job(here, i))
        problem = problem_of(job, wanted, of_job(results, i)) if wanted else None
        passed += bool(wanted) and not problem
        failed += bool(problem)
        if problem and failed <= FAILURES_SHOWN:
            print(f"{what}: {job}: {job.command}: {problem}", flush=True)
    print(f"Linux {', '.join(facts.split())}, {what}: {passed} passed, {failed} failed", flush=True)
    return passed, failed


def unable():
    if os.geteuid() != 0 or os.uname().machine != "x86_64":
        return "it takes root, on x86-64"
    return next((f"there is no {tool}" for tool in TOOLS if not shutil.which(tool)), None)


def images(args):
    """Those to boot, and how many cannot be had."""
    found, missing = list(args.kernel), 0
    for suite in filter(None, args.debian.split(",")):
        try:
            found.append(kernel_of_debian(suite, args.keep))
        except (subprocess.CalledProcessError, OSError, TypeError, StopIteration) as error:
            missing += 1
            why = (getattr(error, "stdout", None) or str(error).encode()).decode()[-500:]
            print(f"skipped: the kernel of {suite} cannot be had: {why}", flush=True)
    return found, missing


def campaign(args, where):
    jobs = all_jobs(args)
    passed = failed = 0
    found, skipped = images(args)
    if not found:
        return passed, failed, skipped
    make_root(args, f"{where}/root", jobs)
    subprocess.run(["bsdtar", "--format", "newc", "-cf", "../root.cpio", "."], cwd=f"{where}/root", check=True)
    with open(f"{where}/root.cpio", "rb") as f, gzip.open(f"{where}/root.cpio.gz", "wb", compresslevel=1) as to:
        shutil.copyfileobj(f, to)
    here = run_here(where, args.seconds)
    for image in found:
        for machine in MACHINES:
            p, f = judge(machine, jobs, here, *run_there(where, image, machine, args.seconds))
            passed, failed = passed + p, failed + f
    return passed, failed, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True, type=os.path.abspath)
    parser.add_argument("--kernel", action="append", default=[], metavar="IMAGE")
    parser.add_argument("--debian", default="", metavar="SUITE,...", help="such as bullseye,bookworm,trixie")
    parser.add_argument("--keep", default=os.path.join(HERE, "../../build/kernels"), type=os.path.abspath,
                        help="where kernels of Debian stay: build/kernels")
    parser.add_argument("--only", default="", help="commands with this text in their name, engine and user")
    parser.add_argument("--seconds", type=int, default=1800, help="for each boot")
    parser.add_argument("--quick", action="store_true", help="two engines")
    args = parser.parse_args()
    problem = unable()
    if problem:
        print(f"skipped: {problem}\n0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory(prefix="lsr-boot-", dir="/var/tmp") as where:
        passed, failed, skipped = campaign(args, where)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
