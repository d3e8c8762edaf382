# A bundle with an index: one member of it, all of it, and each kind of damage noticed.
mkdir -p d/e; seq 1 300000 >d/big; echo small >d/e/f; ln d/e/f d/hard
lsr --pack d --output=b.tar.zst 2>/dev/null
lsr --cat b.tar.zst/d/hard b.tar.zst/d/e/f; lsr --cat b.tar.zst/d/big | cmp - d/big
status lsr --check b.tar.zst
lsr --unpack b.tar.zst --output=o && diff -r d o/d && [ o/d/hard -ef o/d/e/f ] && echo same
size=$(stat -c %s b.tar.zst)
for at in 100 $((size / 2)) $((size - 200)) $((size - 70)) $((size - 12)) $((size - 8)) $((size - 3)); do
        cp b.tar.zst bad.tar.zst; printf '\x5a\xa5' | dd of=bad.tar.zst bs=1 seek=$at conv=notrunc status=none
        lsr --check bad.tar.zst >/dev/null 2>&1; echo "=> $?"
done
