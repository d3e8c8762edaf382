# What is well takes one line; what is not is named with its place.
mkdir -p d/e; seq 1 3000 >d/f1; echo two >d/f2; echo deep >d/e/f; ln d/f1 d/hard; ln -s f1 d/soft; : >d/empty
at '2020-01-02' d/* d/e/* d
tar --sort=name -cf b.tar d; gzip -nk b.tar; xz -k b.tar; zstd -q b.tar; zip -qXr b.zip d; 7z a -bd b.7z d >/dev/null
bsdtar --format cpio -cf b.cpio d; sqlite3 b.sqlar -A -c d/f1 d/e/f; tar -cf out.tar b.zip b.tar.gz
status lsr --check b.tar b.tar.gz b.tar.xz b.tar.zst b.zip b.7z b.cpio b.sqlar out.tar out.tar/b.zip out.tar/b.tar.gz/
lsr --check - <b.tar.gz
printf 1 >one; tar -cf one.tar one; lsr --check one.tar
change() { cp "$1" bad."${1#*.}"; printf X | dd of=bad."${1#*.}" bs=1 seek="$2" conv=notrunc status=none; }
change b.tar 700; lsr --check bad.tar 2>&1 | mask_numbers # the header of the second member
change b.zip 200; status lsr --check bad.zip 2>&1 | mask_numbers
change b.7z 200; status lsr --check bad.7z 2>&1 | mask_numbers
change b.tar.xz 200; lsr --check bad.tar.xz 2>&1 | mask_numbers | tail -n 1
# Only the checksum at the end, behind all members.
size=$(stat -c %s b.tar.gz); change b.tar.gz $((size - 6)); status lsr --check bad.tar.gz 2>&1 | mask_numbers
status lsr --check b.zip bad.zip b.tar 2>/dev/null
zip -q -P secret c.zip d/f1 d/f2; status lsr --check c.zip
echo text >plain
status lsr --check plain no.tar d b.tar/d b.tar/d/f1
: >e.tar.gz; status lsr --check e.tar.gz
status lsr --check
