#!/bin/sh
# peers.sh - install what the benchmarks measure against and with
#
#       bench/peers.sh              Debian packages, and Python programs below build/bench; asks for nothing when nothing is missing
#       bench/peers.sh --crates     also build those that Debian 12 lacks or has old, with cargo, below build/bench
#       bench/peers.sh --bfs=DIR    build bfs from a checkout of https://github.com/tavianator/bfs at its tag 4.1.4, build/bench/bfs
#       bench/peers.sh --go         also build rclone, of which Debian 12 has one that knows no archives, into build/tools; ten minutes
#       bench/peers.sh --zig=DIR    build the Zig lsr from a checkout of it, build/bench/lsr-zig; with --packages=DIR, its packages
#
# The DIR of --zig is https://tangled.org/@rockorager.dev/lsr at its tag v1.0.0.  Its build.zig.zon pins packages by hash: `zig build --fetch`
# in DIR gets them, which is up to whoever runs this, or they are in the directory that --packages names, each in one named as its
# hash.  Nothing is fetched here but the compiler, ziglang 0.15.1 of PyPI.
#
# One package a line; add freely.  What cannot be had is left out of the tables.
set -eu

bfs= zig= packages= crates_wanted= go_wanted=
for word; do
	case $word in
	--bfs=*) bfs=$(readlink -e "${word#*=}") || { echo "peers: ${word#*=} is not there" >&2; exit 1; } ;;
	--zig=*) zig=$(readlink -e "${word#*=}") || { echo "peers: ${word#*=} is not there" >&2; exit 1; } ;;
	--packages=*) packages=$(readlink -e "${word#*=}") || { echo "peers: ${word#*=} is not there" >&2; exit 1; } ;;
	--crates) crates_wanted=yes ;;
	--go) go_wanted=yes ;;
	*) echo "peers: what is $word?" >&2; exit 1 ;;
	esac
done

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
fd-find
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
if ! "$python/bin/python" -c 'import rapidgzip, remotezip, ratarmountcore, libarchive, fsspec, aiohttp' 2>/dev/null; then
	python3 -m venv "$python" && "$python/bin/pip" install -q rapidgzip remotezip ratarmountcore libarchive-c fsspec aiohttp ||
		echo 'peers: Python programs cannot be had; left out' >&2
fi

# Debian's is older than its use of io_uring.  The shared liburing of Debian 12 lacks io_uring_enable_rings().
if [ -n "$bfs" ]; then
	mkdir -p "$top/build/bench/bfs-build"
	(cd "$top/build/bench/bfs-build" && "$bfs/configure" --enable-release && sed -i 's/-luring/-l:liburing.a/' gen/pkgs.mk && make -s -j2)
	cp "$top/build/bench/bfs-build/bin/bfs" "$top/build/bench/bfs"
	echo "peers: $("$top/build/bench/bfs" --version | head -n 1) at build/bench/bfs"
fi

# ReleaseFast, as this lsr is built for speed, too.  With --system nothing is fetched.
if [ -n "$zig" ]; then
	"$python/bin/python" -c 'import ziglang' 2>/dev/null || "$python/bin/pip" install -q ziglang==0.15.1
	(cd "$zig" && "$python/bin/python" -m ziglang build -Doptimize=ReleaseFast --prefix "$top/build/bench/zig" \
		${packages:+--system "$packages"})
	cp "$top/build/bench/zig/bin/lsr" "$top/build/bench/lsr-zig"
	echo "peers: $("$top/build/bench/lsr-zig" --version) at build/bench/lsr-zig"
fi

[ -z "$go_wanted" ] || "$top/tests/remote/go-programs.sh" rclone || echo 'peers: rclone could not be built; left out' >&2

[ -n "$crates_wanted" ] || exit 0
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
