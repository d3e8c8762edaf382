"""bundletree - what is packed by the tests that compare bundles with other programs"""
import os
import subprocess

ENV = {"LC_ALL": "C.UTF-8", "TZ": "Europe/Zurich", "PATH": os.environ["PATH"], "HOME": "/nonexistent"}

# What a format keeps: mode, links, owner, size of files, time (in seconds per unit, 0: not at all).
ALL = {"mode", "nlink", "owner", "size"}
FORMATS = [
    # name, suffix, pack (in the parent, $1 the bundle), unpack (in an empty directory), keeps, unit of times in s
    ("tar-gnu", ".tar", "tar --format=gnu -cf $1 tree", "tar -xpf $1", ALL, 1),
    ("tar-posix", ".tar", "tar --format=posix -cf $1 tree", "tar -xpf $1", ALL, 1e-9),
    ("tar-ustar", ".tar", "tar --format=ustar -cf $1 tree", "tar -xpf $1", ALL, 1),
    ("tar-bsd", ".tar", "bsdtar -cf $1 tree", "bsdtar -xpf $1", ALL, 1e-9),
    ("tar-sparse", ".tar", "tar --format=posix -S -cf $1 tree", "tar -xpf $1", ALL, 1e-9),
    ("tar-gz", ".tar.gz", "tar --format=posix -czf $1 tree", "tar -xpf $1", ALL, 1e-9),
    ("tar-zst", ".tar.zst", "tar --format=posix -c tree | zstd -q -o $1", "zstd -qdc $1 | tar -xpf -", ALL, 1e-9),
    ("tar-xz", ".tar.xz", "tar --format=posix -cJf $1 tree", "tar -xpf $1", ALL, 1e-9),
    ("tar-bz2", ".tar.bz2", "tar --format=posix -cjf $1 tree", "tar -xpf $1", ALL, 1e-9),
    ("tar-lz4", ".tar.lz4", "tar --format=posix -c tree | lz4 -q - $1", "lz4 -dc $1 | tar -xpf -", ALL, 1e-9),
    ("zip", ".zip", "zip -q -r -y $1 tree", "unzip -q -K -^ $1", {"mode", "size"}, 1),
    ("zip-stored", ".zip", "zip -q -0 -r -y $1 tree", "unzip -q -K -^ $1", {"mode", "size"}, 1),
    ("zip-bsd", ".zip", "bsdtar --format=zip -cf $1 tree", "bsdtar -xpf $1", {"mode", "size"}, 1),
    ("7z", ".7z", "7z a -bd -bso0 -snl $1 tree", "7z x -bd -bso0 -snl $1", {"size"}, 1),
    ("iso", ".iso", "xorriso -as mkisofs -quiet -R -o $1 -graft-points tree=tree", "bsdtar -xpf $1", {"mode", "size"}, 1),
    ("cpio-newc", ".cpio", "find tree | cpio --quiet -o -H newc >$1", "cpio --quiet -idm <$1", {"mode", "owner", "size"}, 1),
    ("sqlar", ".sqlar", "sqlite3 -A -cf $1 plain", "mkdir x && cp -a ../plain .", {"mode", "size"}, 1),
]


def sh(script, cwd, *args):
    """Run @script with $1... = @args and return what it printed; RuntimeError if any part of it fails."""
    command = ["bash", "-euo", "pipefail", "-c", script, "sh", *args]
    done = subprocess.run(command, cwd=cwd, env=ENV, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{script}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def make_tree(top):
    """tree, with something of everything, and plain, the same without symbolic links."""
    sh(r"""
mkdir -p tree/sub/deeper tree/empty tree/many tree/'with space'
echo hello >tree/plain
printf 'no newline' >tree/sub/a.c
head -c 600000 /dev/urandom >tree/sub/deeper/big
truncate -s 3M tree/sparse; printf x | dd of=tree/sparse bs=1 seek=1000000 conv=notrunc status=none
: >tree/zero
ln tree/plain tree/sub/hard
ln -s plain tree/link; ln -s sub/deeper tree/dirlink; ln -s missing tree/dangling
for i in $(seq 300); do echo $i >tree/many/$i; done
echo ü >tree/ünïcödé; echo q >tree/"quo'te"; echo t >tree/$'tab\tname'; echo b >'tree/back\slash'
echo s >tree/setuid; chmod 4755 tree/setuid; chmod 1777 tree/empty; chmod 600 tree/zero; chmod 2750 tree/many
long=tree/$(printf 'd%.0s' $(seq 90))/$(printf 'e%.0s' $(seq 90)); mkdir -p $long; echo l >$long/$(printf 'f%.0s' $(seq 8))
find tree -depth -exec touch -h -d '2021-03-04 05:06:07.123456789' {} +
touch -d '1999-12-31 23:59:58' tree/plain; touch -d '2037-12-01 00:00:02' tree/sub/a.c
cp -a tree plain; rm -rf plain/link plain/dirlink plain/dangling
""", top)
