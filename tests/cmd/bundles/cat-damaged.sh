# What is intact comes; what is not is named, and never given as if it were whole.
mkdir d; for i in 1 2 3; do seq $i 20000 >d/f$i; done
tar --sort=name -cf b.tar d
head -c 200000 b.tar >cut.tar
lsr --cat cut.tar/d/f1 2>/dev/null | cmp - d/f1
status lsr --cat cut.tar/d/f2 >/dev/null
gzip -nk b.tar; head -c 60000 b.tar.gz >cut.tar.gz
status lsr --cat cut.tar.gz/d/f1 2>&1 >/dev/null | mask_numbers
zip -q -0 b.zip d/f1 d/f2
# A byte in the middle of f1.
printf X | dd of=b.zip bs=1 seek=5000 conv=notrunc status=none
status lsr --cat b.zip/d/f1 2>&1 >/dev/null
lsr --cat b.zip/d/f2 | cmp - d/f2
zip -q -P secret c.zip d/f1
status lsr --cat c.zip/d/f1
