#!/bin/sh
#
# musl-libs.sh TARBALLS PREFIX - lsr's libraries as static ones for musl; all below PREFIX can be thrown away
#
# TARBALLS has what `apt-get source --tar-only` gets of liburing libarchive nettle libmd sqlite3 libdeflate libzstd
# xz-utils lz4 bzip2 zlib; attr and acl are left out, as libarchive needs them for files on disks alone.  SQLite has the
# modules that lsr describes.
set -eu

tarballs=$1
prefix=$2
src=$prefix/src
export CC="musl-gcc -O2 -isystem $prefix/include" CFLAGS=-O2
export CPPFLAGS="-I$prefix/include" LDFLAGS="-L$prefix/lib -static"
export PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" MAKEFLAGS=-j2

# Unpack NAME's tarball, and go there.
enter()
{
        mkdir -p "$src/$1" && tar -C "$src/$1" --strip-components=1 -xf "$tarballs/$1"_*.orig.tar.* && cd "$src/$1"
}

configured()
{
        enter "$1"
        shift
        # Tarballs of what is in git have links or times that would have a configure script made anew.
        find . -exec touch -r . {} +
        ./configure --prefix="$prefix" --libdir="$prefix/lib" --disable-shared --enable-static "$@"
        make
        make install
}

mkdir -p "$prefix/include" "$prefix/lib/pkgconfig"
# musl-gcc looks into no folder of the system; the kernel's headers belong to no C library.
for headers in linux asm-generic; do
        cp -r "/usr/include/$headers" "$prefix/include/"
done
cp -r "/usr/include/$(gcc -print-multiarch)/asm" "$prefix/include/"

(enter zlib && ./configure --static --prefix="$prefix" && make && make install)
(enter bzip2 && make CC="$CC" libbz2.a && cp libbz2.a "$prefix/lib/" && cp bzlib.h "$prefix/include/")
(enter lz4 && make -C lib PREFIX="$prefix" BUILD_SHARED=no install)
(enter libzstd && make -C lib PREFIX="$prefix" install-static install-includes install-pc)
(enter libdeflate && $CC -c lib/*.c lib/*/*.c && ar rcs "$prefix/lib/libdeflate.a" ./*.o &&
        cp libdeflate.h "$prefix/include/")
(configured xz-utils --disable-doc --disable-nls --disable-scripts --disable-xz --disable-xzdec --disable-lzmadec \
        --disable-lzmainfo)
(configured libmd)
(configured nettle --disable-documentation --disable-openssl --disable-public-key --disable-assembler)
(enter liburing && ./configure --prefix="$prefix" --libdir="$prefix/lib" --cc="$CC" && make liburing.pc &&
        make -C src ENABLE_SHARED=0 install && cp liburing.pc "$prefix/lib/pkgconfig/")
(enter sqlite3 && ./configure CC=gcc --disable-shared && make CC=gcc sqlite3.c &&
        $CC -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_DBSTAT_VTAB \
            -DSQLITE_ENABLE_COLUMN_METADATA -c sqlite3.c && ar rcs "$prefix/lib/libsqlite3.a" sqlite3.o &&
        cp sqlite3.h "$prefix/include/")
(configured libarchive --without-xml2 --without-expat --without-openssl --without-libb2 --disable-acl --disable-xattr \
        --disable-bsdtar --disable-bsdcat --disable-bsdcpio --disable-bsdunzip)
