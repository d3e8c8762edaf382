# engines: sync
# needs: zstd zip
# A tar of which the first header is damaged, a bundle of lsr with a damaged magic number: what follows is there.
mkdir d; for i in 0 1 2; do yes member | head -c $((2000 + 100 * i)) >d/f$i; done; touch -d @1000000000 d/*
flip() { cp "$1" "$2"; printf Z | dd of="$2" bs=1 seek="$3" conv=notrunc status=none; }
for format in v7 ustar gnu; do
    (cd d && tar --format=$format --owner=a:1 --group=b:1 -cf ../$format.tar f0 f1 f2)
    for at in 3 120 130 150 156 200 258; do
        flip $format.tar x.tar $at
        status lsr -R x.tar
    done
done >list 2>&1
sort list | uniq -c
for command in --check '--unpack --output=o'; do status lsr $command x.tar; done
ls o
lsr --cat x.tar/f1 | cmp - d/f1 && echo same; status lsr --cat x.tar/f0
gzip -k x.tar; zstd -q x.tar
for f in x.tar.gz x.tar.zst; do status lsr $f; done
status lsr - <x.tar
echo "= with nothing else in the first 64 KiB"
head -c 100000 /dev/zero | tr '\0' x >large; tar --format=gnu -cf y.tar large d/f1; flip y.tar z.tar 3; status lsr -R z.tar
echo "= a zip behind it, and no tar at all"
(cd d && zip -qX ../k.zip f2); cat x.tar k.zip >both; status lsr both 2>&1
{ head -c 257 large; printf 'ustar\0''00'; cat large; } >text; status lsr text; status lsr --check text
echo "= a bundle of lsr, by its end"
python3 -c 'import random
for i in range(4): open("r%d" % i, "wb").write(random.Random(i).randbytes(700000))'
mkdir r; mv r? r; touch -d @1000000000 r/*
lsr --pack --output=r.tar.zst r 2>/dev/null; flip r.tar.zst s.tar.zst 2; status lsr s.tar.zst; status lsr --unpack --output=u s.tar.zst; (cd u; cmp r/r3 ../r/r3; ls r)
head -c 5000 large >behind; cat r.tar.zst >>behind; status lsr behind
