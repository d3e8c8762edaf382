# What needs more memory than there may be is damage of the bundle: what lies before it is listed, and its reader is not
# taken for one that lies.
echo 1 >a; head -c 4000 /dev/zero >b; tar --owner=o:1 --group=g:1 --mtime=@0 -cf t.tar a b
head -c 1600 t.tar | zstd -q >x.tar.zst
printf '\x28\xb5\x2f\xfd\x00\xff\x01\x00\x00abc' >>x.tar.zst
status lsr -l x.tar.zst
# An indexed one is known by its end: here the first frame wants it, and the table of contents is not valid.
mkdir d; cp a b d; lsr --pack d 2>/dev/null
printf '\x00\xff' | dd of=d.tar.zst bs=1 seek=4 conv=notrunc 2>/dev/null
status lsr -R d.tar.zst
size=$(stat -c %s d.tar.zst)
printf '\xff\xff' | dd of=d.tar.zst bs=1 seek=$((size - 60)) conv=notrunc 2>/dev/null
status lsr -R d.tar.zst/
status lsr --check d.tar.zst
