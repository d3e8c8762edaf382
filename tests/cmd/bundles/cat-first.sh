# static:
# A member of a compressed tar comes before the rest is decoded, and several cost no more than each of them.
mkdir -p d/e; seq 3000 >d/first; echo two >d/e/two; ln d/first d/hard; ln -s first d/soft; ln -s e d/dir; : >d/empty
truncate -s 300K d/hole; echo end >>d/hole
head -c 6000000 /dev/urandom >d/large; echo last >d/last
(cd d; zip -q ../in.zip first e/two); mv in.zip d/in.zip
tar -Scf b.tar d/first d/e d/empty d/hole d/in.zip d/soft d/dir d/large d/last d/hard
gzip -1 <b.tar >b.tar.gz; zstd -q -1 <b.tar >b.tar.zst; xz -0 --block-size=1MiB <b.tar >b.tar.xz
# Bytes that are read of a bundle.
bytes() {
        strace -f -y -e trace=read,pread64 -o trace lsr --io=sync --no-cache --cat "$@" >out 2>err
        sed -nE 's/.*<[^>]*\/b\.tar[^>]*>, .* = ([0-9]+)$/\1/p' trace | awk '{ n += $1 } END { print n + 0 }'
}
for b in b.tar.gz b.tar.xz; do
        for m in first in.zip/first; do
                n=$(bytes $b/d/$m); [ $n -lt 1200000 ] || echo "$b/d/$m: $n bytes"
        done
        [ $(bytes $b/d/last) -gt 6000000 ] || echo "$b/d/last: how?"
        # Once through for all, in the order of the bundle; and one more time for those before, in another order.
        one=$(bytes $b/d/last); n=$(bytes $b/d/first $b/d/e/two $b/d/last); [ $n -lt $((one + 500000)) ] || echo "$b: $n, not $one"
        n=$(bytes $b/d/last $b/d/first); [ $n -lt $((one + 1500000)) ] || echo "$b: $n, not $one and a little"
done
# All is as in a tar that is not compressed.
for args in first "first e/two" "e/two first" "first first" "last first" "first last" "empty hole" "first hard" "soft first" \
        "dir/two first" "./first" "e/../first" "no first" "first no" "first/x" "e first" "in.zip/first in.zip/e/two first" "in.zip/no" "/first//" \
        large "hole in.zip/e/two large last hard"; do
        lsr --no-cache --cat $(printf 'b.tar/d/%s ' $args) >want 2>want.err; echo $? >>want.err
        lsr --no-cache --cat $(printf 'b.tar.zst/d/%s ' $args) >got 2>got.err; echo $? >>got.err
        cmp got want && sed s/b.tar.zst/b.tar/ got.err | cmp - want.err || echo "$args"
done
lsr --no-cache --cat - <b.tar.gz >got; cmp got b.tar.gz
# Of a name that is there twice the first comes; a listing has the last, as unpacking it would, and so has a tar in which that is easily found.
mkdir t u; echo 1 >t/x; echo 1 >t/y; tar -cf t.tar -C t x y; echo second >t/x; tar -rf t.tar -C t x; gzip -k t.tar
lsr --cat t.tar.gz/x t.tar/x t.tar.gz/y t.tar.gz/x; lsr --cat t.tar.gz/x t.tar.gz/no; lsr --json t.tar.gz | grep -o '"size":[0-9]*'
mkdir v; echo file >v/p; tar -cf v.tar -C v p; rm v/p; mkdir v/p; echo below >v/p/q; tar -rf v.tar -C v p/q; gzip -k v.tar
status lsr --cat v.tar.gz/p; status lsr --cat v.tar.gz/p/q; status lsr --cat v.tar/p
printf 'x/../p\0' >names; echo odd >odd; tar -cf o.tar --transform 's,odd,p/../q,' -P odd; echo plain >q; tar -rf o.tar q; gzip o.tar
lsr --cat o.tar.gz/q; status lsr --cat o.tar.gz/p/q
# Damage near what was read is told; what is far behind is for --check.
head -c 200000 b.tar.gz >near.tar.gz; status lsr --cat near.tar.gz/d/e/two 2>&1 | mask_numbers
head -c 5000000 b.tar.gz >far.tar.gz; status lsr --cat far.tar.gz/d/e/two; lsr --check far.tar.gz 2>/dev/null; echo "=> $?"
