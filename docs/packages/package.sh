#!/usr/bin/env bash
#
# package.sh - make packages of the commit that is checked out; see README.md
#
# usage: package.sh OUT KIND...
#
# Work is done in OUT/work, which is removed.  ./dev package installs what this needs.

set -euo pipefail
umask 022
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top=$(git -C "$here" rev-parse --show-toplevel)
mkdir -p "$1"
out=$(readlink -f "$1")
shift
work=$out/work
version=$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$top/meson.build")
SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct)
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
unset CFLAGS LDFLAGS CC

# Paths of this machine are not to be in a binary.
flags="-ffile-prefix-map=$work=/usr/src"

# unpacked NAME: a fresh copy of the source in work/NAME.
unpacked()
{
        rm -rf "${work:?}/$1"
        mkdir -p "$work/$1"
        tar -xzf "$out/lsr-$version.tar.gz" -C "$work/$1"
        cd "$work/$1/lsr-$version"
}

source_()
{
        git -C "$top" archive --prefix="lsr-$version/" HEAD | gzip -9n >"$out/lsr-$version.tar.gz"
}

# tree_as_tarball DIR NAME: the same tree makes the same bytes.
tree_as_tarball()
{
        tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$2" |
                gzip -9n >"$out/$2.tar.gz"
}

# static_tarball MACHINE MESON_ARG...
static_tarball()
{
        local name=lsr-$version-linux-$1 strip=strip
        [ "$1" = x86_64 ] || strip=$1-linux-gnu-strip
        unpacked "static-$1"
        shift
        CFLAGS=$flags meson setup build --prefix=/ --buildtype=release -Dstatic=true -Dremote=disabled "$@"
        ninja -C build
        DESTDIR=$work/$name/$name meson install -C build --no-rebuild
        "$strip" "$work/$name/$name/bin/lsr"
        cp LICENSE README.md CHANGELOG.md "$work/$name/$name/"
        tree_as_tarball "$work/$name" "$name"
}

tarball()
{
        static_tarball x86_64
}

# The libraries of the other machine are unpacked, not installed; what the build runs is run by qemu.
aarch64()
{
        local root=$work/sysroot packages
        mkdir -p "$work"
        packages=libc6-dev,liburing-dev,libarchive-dev,nettle-dev,libmd-dev,libacl1-dev,libsqlite3-dev,libdeflate-dev
        packages+=,libzstd-dev,liblzma-dev,liblz4-dev,libbz2-dev,zlib1g-dev
        rm -rf "$root"
        mmdebstrap --quiet --architectures=arm64 --variant=extract --include="$packages" bookworm "$root" >&2
        cat >"$work/aarch64.ini" <<END
[binaries]
c = ['aarch64-linux-gnu-gcc', '--sysroot=$root']
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64-static', '-L', '$root']

[properties]
sys_root = '$root'
pkg_config_libdir = ['$root/usr/lib/aarch64-linux-gnu/pkgconfig', '$root/usr/share/pkgconfig']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END
        static_tarball aarch64 --cross-file "$work/aarch64.ini"
}

deb()
{
        unpacked deb
        cp -r docs/packages/debian .
        cat >debian/changelog <<END
lsr ($version) unstable; urgency=medium

  * Packaged from the sources of lsr $version; CHANGELOG.md tells what is new.

 -- the lsr authors <lsr@localhost.localdomain>  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
        DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -us -uc -b
        mv ../*.deb ../*.changes ../*.buildinfo "$out/"
}

# Debian has the libraries under other names than the spec asks for.
rpm()
{
        mkdir -p "$work/rpm/SPECS" "$work/rpm/SOURCES"
        sed "s/@VERSION@/$version/" "$here/lsr.spec.in" >"$work/rpm/SPECS/lsr.spec"
        cp "$out/lsr-$version.tar.gz" "$work/rpm/SOURCES/"
        CFLAGS=$flags rpmbuild -bb --nodeps --define "_topdir $work/rpm" --define '_buildhost localhost' \
                --define 'use_source_date_epoch_as_buildtime 1' --define 'clamp_mtime_to_source_date_epoch 1' \
                --define '_build_id_links none' --define '__brp_ldconfig %{nil}' "$work/rpm/SPECS/lsr.spec"
        mv "$work"/rpm/RPMS/*/*.rpm "$out/"
}

arch()
{
        local sum run=()
        sum=$(sha256sum <"$out/lsr-$version.tar.gz")
        rm -rf "$work/arch"
        mkdir -p "$work/arch"
        cp "$out/lsr-$version.tar.gz" "$work/arch/"
        sed "s/@VERSION@/$version/; s/@SHA256@/${sum%% *}/" "$here/PKGBUILD.in" >"$work/arch/PKGBUILD"
        cp "$work/arch/PKGBUILD" "$out/"
        # makepkg refuses root, and looks for packages of Arch, of which there are none.
        if [ "$(id -u)" = 0 ]; then
                chown -R nobody "$work/arch"
                run=(setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$work/arch")
        fi
        (cd "$work/arch" && PACMAN=true PKGEXT=.pkg.tar.zst "${run[@]}" makepkg --nodeps --force)
        cp "$work"/arch/*.pkg.tar.zst "$out/"
}

source_
for kind; do
        [ "$kind" != source ] || kind=source_
        case $kind in
        source_ | tarball | aarch64 | deb | rpm | arch) ;;
        *)
                echo "package.sh: there is no kind '$kind': source, tarball, aarch64, deb, rpm, arch" >&2
                exit 2
                ;;
        esac
        [ "$kind" = source_ ] || (set -e; "$kind")
done
rm -rf "$work"
