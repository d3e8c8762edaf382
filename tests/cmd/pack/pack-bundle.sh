# A bundle, or a directory in one, becomes another bundle with all that it says of its members.
mkdir -p d/e/empty x; echo one >d/f; seq 1 20000 >d/big; : >d/none; echo deep >d/e/g; ln d/f d/e/hard; ln -s ../f d/e/soft; mkfifo d/pipe
chmod 4711 d/f; chmod 700 d/e; setfattr -n user.k -v v d/e/g 2>/dev/null; truncate -s 300K d/sparse; echo end >>d/sparse
at '2020-01-02 03:04:05.5' d/* d/e/* d/e d
quiet() { "$@" 2>&1 | sed 's/, [0-9.]* s$//; s/, [0-9,]* bytes out//'; }
# What unpacking makes of it.
of() { rm -rf t; lsr --unpack "$1" --output=t; (cd t && find . -mindepth 1 -printf '%p %y %m %n %s %T@ %l\n' | sed 's/ d \([0-9]*\) [0-9]* [0-9]* / d \1 /' | LC_ALL=C sort
        find . -type f | LC_ALL=C sort | xargs -r cat | md5sum; getfattr -R -d . 2>/dev/null); }
(cd d; find . | sed 's,^\.,d,' | sort -r) >list
tar --posix --xattrs -S -czf a.tgz --no-recursion -T list; lsr --pack d --output=i.tar.zst 2>/dev/null; lsr --pack d --output=s.sqlar 2>/dev/null
of a.tgz >want.tgz; of i.tar.zst >want.i
for from in a.tgz i.tar.zst; do
        for to in o.tar o.tar.zst o.tar.gz o.tar.xz; do
                echo "== $from to $to"
                quiet lsr --pack $from --output=$to; lsr --check $to >/dev/null; echo $?
                of $to >got; cmp want.${from##*.t} got 2>/dev/null || diff ${from/a.tgz/want.tgz} got >/dev/null || diff $([ $from = a.tgz ] && echo want.tgz || echo want.i) got
                rm $to
        done
        quiet lsr --pack $from --output=o.zip; of o.zip | grep -v ' p ' | cut -d' ' -f1-3,5 | md5sum; rm o.zip
        quiet lsr --pack $from --output=o.sqlar; lsr --cat o.sqlar/d/e/hard o.sqlar/d/f; rm o.sqlar
done
echo "== a part, under its own name, as patterns, owner and time say"
quiet lsr --pack a.tgz/d/e --output=o.tar --owner=7:8 --mtime=@0; tar --numeric-owner -tvf o.tar | LC_ALL=C sort -k6
quiet lsr --pack -C . i.tar.zst/d --exclude=e --exclude=big --include='*[fg]*' --output=o.tar --force; tar -tf o.tar
quiet lsr --pack a.tgz/d/e/hard --output=o.tar --force; tar -xOf o.tar
quiet lsr --pack s.sqlar --include=f --output=o.tar --force; tar -tf o.tar
status lsr --pack a.tgz --include=nothing --output=n.tar; status lsr --pack a.tgz --include='*g' --dry-run --output=n.tar; ls n.tar
echo "== from standard input, and of a bundle in a bundle"
tar -cf outer.tar a.tgz x; quiet lsr --pack - --output=o.tar --force <a.tgz; tar -tf o.tar | wc -l
quiet lsr --pack outer.tar/a.tgz --output=o.tar --force; tar -tf o.tar | wc -l
quiet lsr --pack outer.tar --output=o.zip | sed 's/[0-9,]* bytes/N bytes/'; lsr o.zip
echo "== of what is stored as a file"
quiet lsr --pack a.tgz list --output=two.tar | sed 's/[0-9,]* bytes/N bytes/'; tar -tf two.tar
sqlite3 db 'create table t(a); insert into t values(1)' 2>/dev/null || python3 -c 'import sqlite3; c=sqlite3.connect("db"); c.execute("create table t(a)"); c.execute("insert into t values(1)"); c.commit()'
quiet lsr --pack db --output=db.tar | sed 's/[0-9,]* bytes/N bytes/'; tar -tf db.tar
echo "== not made"
status lsr --pack a.tgz; status lsr --pack a.tgz --output=there/; status lsr --pack a.tgz/d/missing --output=n.tar; status lsr --pack outer.tar/x/y --output=n.tar
gzip -dc a.tgz >cut.tar; truncate -s 60000 cut.tar; status lsr --pack cut.tar --output=n.tar.zst
zip -q -0 b.zip d/big d/f; printf X | dd of=b.zip bs=1 seek=5000 conv=notrunc status=none; status lsr --pack b.zip --output=n.tar.zst
cp a.tgz c.tgz; status lsr --pack c.tgz --output=a.tgz 2>&1 | sed 's/use.*//'; quiet lsr --pack c.tgz --output=c.tgz --force; lsr --check c.tgz | cut -d, -f1,2; ls n.*
