# Compressed data that decoders have got wrong.
mkdir d; for i in 1 2 3; do head -c 40000 /dev/urandom >d/f$i; done; echo x >d/last
tar --sort=name -cf b.tar d
n=$(stat -c %s b.tar); head -c $((n / 2)) b.tar >one; tail -c +$((n / 2 + 1)) b.tar >two
show() { echo "$1: $(lsr -1 $1/d 2>said | xargs)"; sed 's/^/    /; s/byte [0-9,]*/byte N/' said; }
# Several members or frames, one after the other; xz with padding between its streams.
for z in gzip zstd xz bzip2 lz4; do $z -c one >j.$z; $z -c two >>j.$z; show j.$z; done
{ xz -c one; head -c 8 /dev/zero; xz -c two; } >padded.xz; show padded.xz
printf '\x50\x2a\x4d\x18\x03\x00\x00\x00abc' | cat - j.zstd >skip.zstd; show skip.zstd
xz -c --block-size=10000 -T2 b.tar >blocks.xz; show blocks.xz
zstd -q -c --no-check b.tar >unchecked.zstd; show unchecked.zstd
xz -c --format=lzma b.tar >alone.lzma; show alone.lzma
xz -c --format=lzma --lzma1=lc=4,dict=8MiB b.tar >literals.lzma; show literals.lzma
# As the kernel has it, and initrds; twice, and what it is cut into.
head -c 20000000 /dev/zero | cat b.tar - >long.tar
lz4 -qlc long.tar >legacy.lz4; show legacy.lz4
{ lz4 -qlc one; lz4 -qlc two; } >legacies.lz4; show legacies.lz4
{ lz4 -qlc one; lz4 -qc two; } >mixed.lz4; show mixed.lz4
lsr --cat legacy.lz4/d/last
head -c 160000 legacy.lz4 >cut.lz4; show cut.lz4; status lsr --check cut.lz4
{ head -c 4 legacy.lz4; head -c 4 /dev/zero | tr '\0' '\177'; cat one; } >damaged.lz4; status lsr damaged.lz4
# What compress(1) made: codes become longer when the reader, which is one behind, knows as many.
python3 - <<'PY'
codes, known, out, acc, n, bits, word = {bytes([i]): i for i in range(256)}, 256, bytearray(b"\x1f\x9d\x90"), 0, 0, 9, b""
def put(word):
    global acc, n, known, bits
    acc |= codes[word] << n; n += bits; known += known < 65536
    while n >= 8:
        out.append(acc & 255); acc >>= 8; n -= 8
    bits += known >> bits and bits < 16
for byte in open("b.tar", "rb").read():
    longer = word + bytes([byte])
    if longer not in codes:
        put(word)
        if len(codes) < 65535:
            codes[longer] = len(codes) + 1
        longer = longer[-1:]
    word = longer
put(word)
open("b.Z", "wb").write(out + bytes([acc]))
PY
gzip -dc b.Z | cmp - b.tar; show b.Z; lsr --cat b.Z/d/last; status lsr --check b.Z
head -c 60000 b.Z >cut.Z; show cut.Z | sed 's/early: .*/early/'
{ head -c 200 b.Z; head -c 2000 /dev/zero | tr '\0' '\377'; } >damaged.Z; status lsr damaged.Z
printf '\x1f\x9d\x90' >empty.Z; status lsr empty.Z
# A tar ends before its compression does, which is looked at to its end: only there it tells whether it is whole.
gzip -nc b.tar >g.gz
{ cat g.gz; head -c 1000 /dev/zero; } >zeros.gz; show zeros.gz
{ cat g.gz; echo rubbish; } >rubbish.gz; show rubbish.gz
{ cat g.gz; printf '\x1f\x8b'; } >partial.gz; show partial.gz
n=$(stat -c %s g.gz)
{ head -c $((n - 8)) g.gz; printf 'XXXX'; tail -c 4 g.gz; } >sum.gz; show sum.gz
{ head -c $((n - 4)) g.gz; printf 'XXXX'; } >length.gz; show length.gz
# Flags that nobody knows.
{ printf '\x1f\x8b\x08\xe0'; tail -c +5 g.gz; } >flags.gz; status lsr flags.gz
# On each other, and too many.
cp g.gz s.gz; for z in xz zstd bzip2; do $z -qc s.gz >s.new; mv s.new s.gz; done; show s.gz
gzip -nc s.gz >deep.gz; status lsr deep.gz
# Half a GiB of nothing in half a MB.
python3 - <<'PY'
import bz2, zlib, tarfile
info = tarfile.TarInfo("zeros"); info.size = 1 << 29
z = zlib.compressobj(9, zlib.DEFLATED, 31)
with open("bomb.gz", "wb") as f:
    f.write(z.compress(info.tobuf()))
    for _ in range(512):
        f.write(z.compress(bytes(1 << 20)))
    f.write(z.compress(bytes(1024)) + z.flush())
PY
status lsr -go --time-style=+ bomb.gz
