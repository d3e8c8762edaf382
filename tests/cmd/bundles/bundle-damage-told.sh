# needs: cpio ar
# What libarchive passes over without an error: a damaged header in a cpio, an ar or a warc that ends within a header.
# In the cpio the members behind it are there.
mkdir d; for i in 0 1 2 3 4 5; do yes member | head -c $((2000 + 100 * i)) >d/f$i; done; touch -d @1000000000 d/*
printf 'd/f%s\n' 0 1 2 3 4 5 | cpio -o -H newc --quiet >x.cpio
printf Z | dd of=x.cpio bs=1 seek=$(($(grep -abo 070701 x.cpio | sed -n 3p | cut -d: -f1) + 20)) conv=notrunc status=none
for command in -R --check '--unpack --output=o'; do status lsr $command x.cpio; done
ls o/d
# Of the first header nothing but its magic number is left.
printf 'd/f%s\n' 0 1 2 | cpio -o -H newc --quiet >y.cpio; printf '%080d' 0 | tr 0 Q | dd of=y.cpio bs=1 seek=8 conv=notrunc status=none
status lsr -R y.cpio
ar rc x.ar d/f0 d/f1 d/f2; head -c 2100 x.ar >y.ar
head -c 8 x.ar >empty.ar; head -c 40 x.ar >z.ar
for f in x y z empty; do status lsr $f.ar; done
printf 'WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: 40\r\n\r\ncut here' >x.warc
for command in -R --check '--unpack --output=p'; do status lsr $command x.warc; done
# What follows the last member of gzip or bzip2 is no part of the bundle, or one of which the magic number is damaged.
python3 - <<'PY'
import bz2, gzip
def record(i):
    body = b"payload %d\n" % i
    return (b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/p%d\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:%032d>\r\n"
            b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % (i, i, len(body))) + body + b"\r\n\r\n"
for name, pack in ("gz", gzip.compress), ("bz2", bz2.compress):
    parts = [pack(record(i)) for i in range(4)]
    parts[2] = b"\xff" + parts[2][1:]
    open("magic.warc." + name, "wb").write(b"".join(parts))
PY
echo text >text; tar -czf more.tar.gz text; cp more.tar.gz zeros.tar.gz; cat text >>more.tar.gz; head -c 999 /dev/zero >>zeros.tar.gz
for f in magic.warc.gz magic.warc.bz2 more.tar.gz zeros.tar.gz; do
        for o in -R1 --check '--unpack --output=behind --force -v'; do lsr $o $f 2>&1 | sed 's/byte [0-9,]*/byte N/'; echo "=> ${PIPESTATUS[0]}"; done
done
