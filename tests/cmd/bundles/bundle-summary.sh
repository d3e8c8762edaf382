# Beside the total of a bundle that is an operand: what it is, how many members it has, and its own size.
mkdir -p d/sub; echo 1 >d/sub/a; head -c 3000 /dev/zero >d/b; at '2020-01-02' d d/sub d/sub/a d/b
zip -qrX z.zip d; tar --format=ustar --owner=0 --group=0 -cf t.tar d; gzip -nk t.tar; gzip -n <t.tar.gz >t.tar.gz.gz; bsdtar --format=mtree -cf m.mtree d
lsr --pack d --output=l.tar.zst 2>&- ; sqlite3 a.db 'create table t(a); insert into t values(1),(2)'; tar -cf one.tar d/b
totals() { grep -a total | sed -E 's/[0-9,]+ bytes( packed)?\)/N bytes\1)/'; }
for b in z.zip t.tar t.tar.gz t.tar.gz.gz l.tar.zst m.mtree one.tar a.db; do echo "$b $(lsr -l $b | totals)"; done
echo "= sizes"
for o in -h -k --block-size=1 --si; do lsr -l $o t.tar | head -1; done
lsr -lh z.zip/ t.tar/ | grep total
echo "= a directory of one, all of one, one in one, a pipe"
lsr -l z.zip/d | head -1
lsr -lR z.zip | totals
lsr -lR l.tar.zst | totals
zip -qX0 outer.zip t.tar; lsr -l outer.zip/t.tar | head -1
lsr -l - <t.tar | head -1
lsr -l --no-cache t.tar.gz | totals
echo "= nowhere else"
lsr -ld --time-style=+ z.zip | squeeze
lsr -s z.zip
lsr -1 z.zip
lsr --json z.zip | grep -c total
(exec -a ls lsr -l z.zip/ | head -1)
lsr -l d | head -1 | mask_numbers
mkdir e; mv one.tar e; lsr -lR --bundles=always e | grep -ac member
lsr --tree -l --time-style=+ z.zip | head -1 | squeeze
