# needs: cpio ar
# What libarchive passes over without an error: a damaged header in a cpio, an ar that ends within a header.
mkdir d; for i in 0 1 2 3 4 5; do yes member | head -c $((2000 + 100 * i)) >d/f$i; done; touch -d @1000000000 d/*
printf 'd/f%s\n' 0 1 2 3 4 5 | cpio -o -H newc --quiet >x.cpio
printf Z | dd of=x.cpio bs=1 seek=$(($(grep -abo 070701 x.cpio | sed -n 3p | cut -d: -f1) + 20)) conv=notrunc status=none
for command in -R --check '--unpack --output=o'; do status lsr $command x.cpio; done
ls o/d
# Of the first header nothing but its magic number is left.
printf 'd/f%s\n' 0 1 2 | cpio -o -H newc --quiet >y.cpio; printf '%080d' 0 | tr 0 Q | dd of=y.cpio bs=1 seek=8 conv=notrunc status=none
status lsr -R y.cpio 2>&1 | sed 's/Skipped.*/.../'
ar rc x.ar d/f0 d/f1 d/f2; head -c 2100 x.ar >y.ar
head -c 8 x.ar >empty.ar; head -c 40 x.ar >z.ar
for f in x y z empty; do status lsr $f.ar; done
