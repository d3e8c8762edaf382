#!/bin/sh
# peers.sh - install from Debian what the benchmarks measure against and with
#
# Asks apt for nothing when nothing is missing.  One package a line; add freely.
set -eu

peers='
busybox-static
libarchive-tools
p7zip-full
pigz
sqlite3
unzip
xorriso
zip
zstd
hyperfine
strace
valgrind
'

missing=
for package in $peers; do
	status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
	[ "$status" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
	echo 'peers: all installed'
	exit 0
fi

echo "peers: installing$missing"
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
$sudo apt-get update
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y --no-install-recommends $missing
