"""bundletree - what is packed by the tests that compare bundles with other programs"""
import os
import subprocess

ENV = {"LC_ALL": "C.UTF-8", "TZ": "Europe/Zurich", "PATH": os.environ["PATH"], "HOME": "/nonexistent"}


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
