#!/usr/bin/env bash
#
# packages.sh - packages are made alike wherever they are made; they install, run, and leave nothing behind
#
# usage: tests/packages.sh OUT, as root

set -euo pipefail
top=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --show-toplevel)
mkdir -p "$1"
out=$(readlink -f "$1")
a=$out b=$out/again/at-another-place
passed=0 failed=0 skipped=0

# check WHAT COMMAND...: a command that ends with 77 has said why it cannot be done here.
check()
{
        local what=$1 rc=0
        shift
        # Not as a condition, in which nothing that fails ends it.
        set +e
        (set -e; "$@") >"$out/check.log" 2>&1
        rc=$?
        set -e
        case $rc in
        0)
                echo "passed: $what"
                passed=$((passed + 1))
                ;;
        77)
                echo "skipped: $what: $(tail -n 1 "$out/check.log")"
                skipped=$((skipped + 1))
                ;;
        *)
                echo "FAILED: $what"
                sed 's/^/    /' "$out/check.log"
                failed=$((failed + 1))
                ;;
        esac
}

# files ROOT: all that a package may leave behind; what package managers know of themselves is not.
files()
{
        (cd "$1" && find . -xdev -path ./var/lib/dpkg -prune -o -path ./var/lib/rpm -prune -o -path ./usr/lib/sysimage -prune \
                -o -path ./var/log -prune -o -path ./var/cache/ldconfig -prune -o -path ./proc -prune -o -print | sort)
}

# lists HOW...: lsr, run in this way, lists the bundle, below a line with its size.
lists()
{
        "$@" -l /tmp/t/b.tar.gz | tail -n +2 >"$out/listed"
        diff "$out/listed" - <<'END'
-rw-r--r-- 1 root root 6 Jan  1  2020 hello
END
}

bundle_in()
{
        mkdir -p "$1/tmp/t"
        (cd "$1/tmp/t" && echo hello >hello && chmod 644 hello &&
                tar --owner=root:0 --group=root:0 --mtime='2020-01-01 UTC' -czf b.tar.gz hello)
}

same_bytes()
{
        cmp "$a/$1" "$b/$1"
}

deb_installs()
{
        local root=$out/chroot
        rm -rf "$root"
        mmdebstrap --quiet --variant=minbase --include=libcurl4,libnettle8,libhogweed6 bookworm "$root" || {
                echo 'there is no Debian to install it in: mmdebstrap failed'
                return 77
        }
        bundle_in "$root"
        files "$root" >"$out/before"
        cp "$a"/*.deb "$root/tmp/t/"
        chroot "$root" sh -c 'dpkg --install /tmp/t/*.deb'
        chroot "$root" lsr --version
        lists chroot "$root" lsr
        test -x "$root/usr/libexec/lsr/lsr-remote"
        chroot "$root" dpkg --purge lsr lsr-remote
        rm "$root"/tmp/t/*.deb
        files "$root" | diff "$out/before" -
        rm -rf "$root"
}

# Nothing but the package is in this root: the binary needs no library.
rpm_installs()
{
        local root=$out/chroot
        rm -rf "$root"
        mkdir -p "$root"
        rpm --root "$root" --initdb
        bundle_in "$root"
        mkdir -p "$root/etc"
        echo root:x:0:0::/:/bin/sh >"$root/etc/passwd"
        echo root:x:0: >"$root/etc/group"
        files "$root" >"$out/before"
        rpm --root "$root" --nosignature -i "$a"/*.rpm
        lists chroot "$root" /usr/bin/lsr
        rpm --root "$root" -e lsr
        # Directories that every system has are no part of the package.
        files "$root" | grep -v -x -E '\./(usr|var)(/.*)?' | diff <(grep -v -x -E '\./(usr|var)(/.*)?' "$out/before") -
        [ -z "$(find "$root/usr" -type f -not -path '*/sysimage/*')" ]
        rm -rf "$root"
}

aarch64_runs()
{
        rm -rf "$out/run"
        mkdir "$out/run"
        tar -xzf "$a"/lsr-*-aarch64.tar.gz -C "$out/run" --strip-components=1
        bundle_in /
        lists qemu-aarch64-static "$out/run/bin/lsr"
        diff <(qemu-aarch64-static "$out/run/bin/lsr" -al /etc) <(ls -al /etc)
        rm -rf "$out/run"
}

pacman_package_is_whole()
{
        bsdtar -tf "$a"/lsr-*.pkg.tar.zst | grep -x usr/bin/lsr
        bsdtar -tf "$a"/lsr-*.pkg.tar.zst | grep -x usr/lib/lsr/lsr-remote
        bsdtar -tf "$a"/lsr-*.pkg.tar.zst | grep -x usr/share/man/man1/lsr.1.gz
}

# The same commit, whatever becomes of this tree meanwhile.
elsewhere()
{
        umask 077
        export TZ=Pacific/Auckland LC_ALL=C
        unset XDG_CACHE_HOME
        HOME=$out/again "$out/again/clone/docs/packages/package.sh" "$b" "${kinds[@]}"
}

rm -rf "$out/again"
mkdir -p "$out/again"
chmod 755 "$out/again"
git clone -q "$top" "$out/again/clone"
export TZ=UTC LC_ALL=C.UTF-8
kinds=(source tarball aarch64 deb rpm arch)
check 'all kinds are made' "$top/docs/packages/package.sh" "$a" "${kinds[@]}"
check 'all kinds are made at another place, by somebody else' elsewhere
for file in "$a"/*.tar.gz "$a"/*.deb "$a"/*.rpm; do
        check "the same bytes in both: ${file##*/}" same_bytes "${file##*/}"
done
check 'lintian says nothing' lintian --fail-on error,warning --allow-root "$a"/*.deb
check 'the .deb installs, runs and is removed' deb_installs
check 'the .rpm installs, runs and is removed' rpm_installs
check 'the binary for aarch64 runs' aarch64_runs
check 'the package of makepkg is whole' pacman_package_is_whole
rm -rf "$out/again" "$out/before" "$out/listed" "$out/check.log"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
