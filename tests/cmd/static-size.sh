# engines: sync
# static:
# The release stays within 8 MB, and has nothing that would unwind a stack: src/no-unwind.ld takes the tables away.
binary=$(readlink -f "$(command -v lsr)")
strip -o small "$binary"
size=$(stat -c %s small)
[ "$size" -le 8000000 ] || echo "$size bytes"
nm "$binary" | grep -E ' [A-Za-z] _*(pthread_exit|pthread_cancel|backtrace|thrd_exit)$'
# The old decoders of libzstd are not there, the new one is.
nm "$binary" | grep -cE ' T (HUFv0[0-9]_|ZSTDv0[0-9]_decompressBlock)'
mkdir d
seq 5000 >d/f
lsr --pack d 2>/dev/null && lsr --cat d.tar.zst/d/f | tail -n 1
