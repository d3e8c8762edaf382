#!/usr/bin/env python3
"""builds.py --out DIR [KIND...] - lsr built, without a warning, and its units run where others build it

    i386      a machine of 32 bits: gcc 12 and the libraries of Debian 12
    gcc       the compiler and the libraries of Debian 13: gcc 14
    clang     the same with clang 19
    aarch64   another machine, whose code is run by qemu
    musl      another C library, and a static binary; the libraries are built from Debian's tarballs by musl-libs.sh

Systems are made by mmdebstrap below DIR, once, which takes root.  Prints `N passed, N failed, N skipped`; each build counts
as one.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARIES = ("libc6-dev,liburing-dev,libarchive-dev,nettle-dev,libmd-dev,libacl1-dev,libsqlite3-dev,libdeflate-dev,libzstd-dev,"
             "liblzma-dev,liblz4-dev,libbz2-dev,zlib1g-dev")
TOOLS = "meson,ninja-build,pkg-config,python3-minimal,git,passwd,attr"
SUM = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.MULTILINE)
TARBALLS = "liburing libarchive nettle libmd sqlite3 libdeflate libzstd xz-utils lz4 bzip2 zlib"
MESON = "--werror --buildtype=debugoptimized -Dstatic=false -Dremote=disabled -Dtests=enabled"

# suite, machine, what else is in it, compiler
KINDS = {
    "i386": ("bookworm", "i386", TOOLS + ",gcc", "gcc"),
    "gcc": ("trixie", "amd64", TOOLS + ",gcc,clang-19", "gcc"),
    "clang": ("trixie", "amd64", TOOLS + ",gcc,clang-19", "clang-19"),
    "aarch64": ("bookworm", "arm64", "", "aarch64-linux-gnu-gcc"),
    "musl": ("trixie", "amd64", TOOLS + ",gcc,libc6-dev,musl-tools,make,tcl,xz-utils", "musl-gcc -isystem /musl/include"),
}
# What qemu-user lacks.
NOT_EMULATED = {"test-confine": "seccomp", "test-compare": "ptrace", "test-self": "a program that executes itself"}
SLOW = 10  # a test has as many times its time where it is emulated
CROSS = """[binaries]
c = ['{cc}', '--sysroot={root}']
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64-static']

# The loader and the libraries by their paths here: with -L qemu would answer for `/` in two ways.
[built-in options]
c_link_args = ['-Wl,--dynamic-linker={root}/lib/ld-linux-aarch64.so.1', '-Wl,--disable-new-dtags',
               '-Wl,-rpath,{root}/lib/aarch64-linux-gnu:{root}/usr/lib/aarch64-linux-gnu']

[properties]
sys_root = '{root}'
pkg_config_libdir = ['{root}/usr/lib/aarch64-linux-gnu/pkgconfig', '{root}/usr/share/pkgconfig']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""


def system(out, kind):
    """Its root; made unless it is there.  That for musl has tarballs instead of the libraries that belong to glibc."""
    suite, machine, packages, _ = KINDS[kind]
    musl = kind == "musl"
    root = os.path.join(out, f"{suite}-{machine}" + ("-musl" if musl else ""))
    if not os.path.exists(root + ".made"):
        subprocess.run(["rm", "-rf", root], check=True)
        variant = [] if packages else ["--variant=extract"]
        # Without what changes every day, as lists of it now and then do not fit together.
        edit = "/security/d" + ("; s/^deb .*/&\\n&/; s/^deb /deb-src /" if musl else "")
        get = [f"--customize-hook=mkdir \"$1\"/tarballs; chroot \"$1\" sh -c 'cd /tarballs; apt-get -qq source --tar-only {TARBALLS}'"]
        subprocess.run(["mmdebstrap", "--quiet", f"--architectures={machine}", *(variant or ["--variant=minbase"]),
                        f"--setup-hook=find \"$1\"/etc/apt -name '*.list' -exec sed -i '{edit}' {{}} +", *(get if musl else []),
                        "--include=" + ",".join(filter(None, ("" if musl else LIBRARIES, packages))), suite, root], check=True)
        if variant:
            from_here(root)
        open(root + ".made", "w", encoding="utf-8").close()
    return root


def from_here(root):
    """Links below it that begin with / are meant to be followed in it; here they would lead out."""
    for directory, directories, names in os.walk(root):
        for path in (os.path.join(directory, name) for name in directories + names):
            if os.path.islink(path) and os.readlink(path).startswith("/"):
                to = os.path.relpath(root + os.readlink(path), os.path.realpath(directory))
                os.unlink(path)
                os.symlink(to, path)


def inside(root):
    """The words that run a command there, with what a program expects of a system; /tmp is on the disk, as a ring reads there."""
    script = ('root=$1; shift; mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"; '
              'exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root chroot "$root" "$@"')
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", root]


def copy_source(to):
    """What is tracked, with the times that it has, so that little is built again."""
    os.makedirs(to, exist_ok=True)
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, check=True).stdout
    tar = subprocess.run(["tar", "-C", ROOT, "--null", "-T", "-", "-cf", "-"], input=names, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-C", to, "-xf", "-"], input=tar, check=True)


def prepare(out, kind, root):
    """What builds it, where it is built, and the words that run a unit."""
    suite, _, packages, cc = KINDS[kind]
    if packages:
        copy_source(os.path.join(root, "lsr"))
        build = f"/build-{kind}"
        words = inside(root)
        options, script = MESON, ""
        if kind == "musl":
            options += " -Dstatic=true"
            # Where the compiler and pkg-config look for libraries, and for no others.
            script = ("[ -f /musl/made ] || sh /lsr/tests/musl-libs.sh /tarballs /musl; touch /musl/made; "
                      "export LIBRARY_PATH=/musl/lib PKG_CONFIG_LIBDIR=/musl/lib/pkgconfig; ")
        script += f"[ -f {build}/build.ninja ] || CC='{cc}' meson setup {build} /lsr {options}; ninja -C {build}"
        return [*words, "sh", "-ec", script], root + build, [*words], build
    cross, build = os.path.join(out, kind + ".ini"), os.path.join(out, "build-" + kind)
    with open(cross, "w", encoding="utf-8") as f:
        f.write(CROSS.format(cc=cc, root=root))
    script = (f"[ -f {shlex.quote(build)}/build.ninja ] || meson setup {shlex.quote(build)} {shlex.quote(ROOT)} {MESON} "
              f"--cross-file {shlex.quote(cross)}; ninja -C {shlex.quote(build)}")
    return ["sh", "-ec", script], build, ["qemu-aarch64-static"], build


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--units", default="*", help="a glob over their names")
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    args = parser.parse_args()
    out = os.path.abspath(args.out)
    os.makedirs(out, exist_ok=True)
    passed = failed = skipped = 0
    for kind in args.kinds or KINDS:
        root = system(out, kind)
        command, build, words, within = prepare(out, kind, root)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        text = done.stdout.decode(errors="replace")
        if done.returncode:
            failed += 1
            print(f"{kind}: it does not build\n" + "\n".join(re.findall(r"(?m)^.*(?:error|FAILED|ERROR).*$", text)[:60]) + text[-2000:])
            continue
        passed += 1
        for path in sorted(glob.glob(f"{build}/tests/unit/test-{args.units}")):
            if not os.access(path, os.X_OK) or os.path.isdir(path):
                continue
            name = os.path.basename(path)
            emulated = words[0].startswith("qemu")
            if emulated and name in NOT_EMULATED:
                skipped += 1
                continue
            slow = SLOW if emulated else 1
            done = subprocess.run(["timeout", "-k", "10", str(900 * slow), *words, f"{within}/tests/unit/{name}", "--slow", str(slow)],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            text = done.stdout.decode(errors="replace")
            sums = SUM.findall(text)
            p, f, s = (int(n or 0) for n in sums[-1]) if sums else (0, 1, 0)
            f = f or (done.returncode != 0)
            if f:
                print(f"{kind}: {name}: status {done.returncode}\n{text[-3000:]}", flush=True)
            passed, failed, skipped = passed + p, failed + f, skipped + s
        print(f"{kind}: {passed} passed, {failed} failed, {skipped} skipped so far", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
