#!/bin/sh
# peers.sh - install what the benchmarks measure against and with
#
#       bench/peers.sh              Debian packages, and Python programs below build/bench; asks for nothing when nothing is missing
#       bench/peers.sh --crates     also build those that Debian 12 lacks or has old, with cargo, below build/bench
#
# One package a line; add freely.  What cannot be had is left out of the tables.
set -eu

peers='
acl
attr
bfs
busybox-static
dar
exa
fd-find
hyperfine
libarchive-tools
liblz4-dev
libzstd-dev
lsd
p7zip-full
pigz
pixz
rclone
sqlite3
strace
unzip
valgrind
xorriso
zip
zstd
'
# uu_ls is the ls of the uutils coreutils, alone: the whole crate takes many times as long.
crates='
eza
lsd
uu_ls
'

missing=
for package in $peers; do
	status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
	[ "$status" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
	echo 'peers: all packages installed'
else
	echo "peers: installing$missing"
	sudo=
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	$sudo apt-get update
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -o DPkg::Lock::Timeout=300 --no-install-recommends $missing
fi

top=$(readlink -f "$(dirname "$0")/..")
python=$top/build/bench/python
if ! [ -x "$python/bin/rapidgzip" ] || ! [ -x "$python/bin/remotezip" ]; then
	python3 -m venv "$python" && "$python/bin/pip" install -q rapidgzip remotezip ratarmountcore fsspec aiohttp ||
		echo 'peers: Python programs cannot be had; left out' >&2
fi

[ "${1-}" = --crates ] || exit 0
cargo=$(command -v cargo || echo "$HOME/.cargo/bin/cargo")
if ! [ -x "$cargo" ]; then
	echo 'peers: no cargo here, so no crates' >&2
	exit 0
fi
root=$top/build/bench/crates
mkdir -p "$root"
for crate in $crates; do
	# Does nothing when it is there and the newest.
	"$cargo" install --locked --root "$root" "$crate" || echo "peers: $crate could not be built; left out" >&2
done
