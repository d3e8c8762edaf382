# engines: sync
# static:
# What must be decoded to be listed is decoded once when it is packed again, and what comes does not depend on that.
export XDG_CACHE_HOME=$PWD/cache
mkdir -p d/e/empty; seq 1 300000 >d/big; echo one >d/e/f; : >d/none; ln d/e/f d/hard; ln -s e/f d/soft; mkfifo d/pipe
head -c 3000000 /dev/urandom >d/random; truncate -s 40M d/sparse; echo end >>d/sparse
at '2020-01-02 03:04:05' d/* d/e/* d/e d
# Bytes read of a file, in files of itself.
times() { strace -ff -qq -y -e trace=read,pread64,readv,preadv -o trace lsr --io=sync --pack $1 --no-verify --output=$2 --force 2>said
        cat trace.* | sed -nE "s/.*\/$1>.* = ([0-9]+)$/\1/p" | awk -v size=$(stat -c %s $1) '{ n += $1 } END { printf "%d\n", (n - 200000) / size + 1 }'
        rm trace.*; grep -v ' bytes out, ' said; }
tar --posix -Sczf a.tar.gz d
# Parents behind what is in them, and not at all; from "./"; links before what they lead to are another matter.
find d -not -type d -not -name hard | sort -r | tar --posix -Sczf b.tar.gz --no-recursion -T -
tar --posix -C d -Sczf c.tar.gz .
tar --format=gnu -Sczf g.tar.gz d
for b in a b c g; do
        echo "== $b: how often it is read, and what comes when it was listed before is the same"
        for to in tar tar.zst tar.gz zip; do
                rm -rf cache; times $b.tar.gz once.$to
                rm -rf cache; lsr -lR $b.tar.gz >list 2>&1; lsr --pack $b.tar.gz --output=twice.$to --force 2>said; cmp once.$to twice.$to
        done
        lsr --diff --content $b.tar.gz once.tar.zst
        [ $(stat -c %s once.tar) -lt 6000000 ] && echo 'holes are none of it'
        rm -rf u; lsr --unpack once.tar.gz --output=u 2>said; [ $(du -k u/d/sparse u/sparse 2>said | cut -f1) -lt 2000 ] && echo 'nor when unpacked'
done
echo "== a name twice, a part, a pattern: as the catalogue has it"
cp a.tar.gz t.tar.gz; gzip -d t.tar.gz; echo two >d/e/f; tar --posix -rf t.tar d/e/f; gzip t.tar
rm -rf cache; times t.tar.gz once.tar.zst; lsr --cat once.tar.zst/d/e/f; lsr -R once.tar.zst | wc -l
rm -rf cache; lsr --pack t.tar.gz --exclude=big --exclude=random --output=once.tar.zst --force 2>said; lsr -R once.tar.zst | wc -l
rm -rf cache; lsr --pack t.tar.gz --output=- 2>said >pipe.tar; lsr -R pipe.tar | wc -l
echo "== hard links where there are none: once more, however many there are"
mkdir l; cp d/big l/a; echo two >l/b; truncate -s 3M l/h; echo end >>l/h; for i in 1 2 3 4 5 6; do for f in a b h; do ln l/$f l/$f$i; done; done
at '2020-01-02 03:04:05' l/* l; tar --posix -Sczf l.tar.gz l
for to in zip sqlar; do
        rm -rf cache; times l.tar.gz links.$to
        rm -rf u; lsr --unpack links.$to --output=u 2>said; diff -r l u/l && echo same
        # There is no room to keep it.
        lsr --pack l.tar.gz --limit=spool=64K --output=room.$to 2>said; lsr --diff --content room.$to links.$to && echo same
done
lsr --pack l.tar.gz --exclude=l/a --exclude=l/b1 --output=links.zip --force 2>said; lsr -R links.zip | grep -c '[0-9]$'; for f in a3 b b6 h2; do lsr --cat links.zip/l/$f | cmp - l/$f; done
echo "== damaged: told once"
head -c 2000000 a.tar.gz >cut.tar.gz; rm -rf cache; status lsr --pack cut.tar.gz --output=cut.tar.zst 2>&1 | sed "s,byte [0-9,]*$,byte N,"; [ -e cut.tar.zst ] || echo none
