# engines: sync
# static:
# All members of a bundle come in one pass over it: 2,000 of them in some large reads, whatever the format.
mkdir d && (cd d && for i in $(seq 2000); do echo "content $i of this file" >f$i; done)
for b in b.tar b.tar.zst b.zip b.sqlar; do
        lsr --pack d --output=$b 2>said
        strace -f -y -o trace lsr --io=sync --unpack $b --output=of-$b
        n=$(grep -cE "^[0-9]+ +(read|pread64|preadv2?)\([^ ]*<[^>]*/$b>" trace)
        [ $n -ge 1 ] && [ $n -le 50 ] && echo "$b: few reads" || echo "$b: $n reads"
        diff -r d of-$b/d && echo same
done
