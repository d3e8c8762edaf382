# static:
# A directory of a bundle with an index costs what is in it, and looks as it does in a listing of all.
for i in {1..30}; do mkdir -p t/d$i/sub/deep; for j in {1..50}; do echo $i $j >t/d$i/file-with-a-name-$j; done; echo x >t/d$i/sub/deep/x; done
ln -s file-with-a-name-1 t/d2/near; ln -s ../d1/sub t/d2/far; ln -s no t/d2/broken; mkdir t/empty t/d1/empty; echo top >top
LS_COLORS='ln=target:or=31:mi=41:di=34:fi=33:ex=32'; export LS_COLORS
find t top | sort -R --random-source=/bin/sh | zip -qy@ t.zip
sqlite3 t.sqlar -A -c t top
(cd t/d1 && zip -qr ../../in.zip sub); (mkdir n; mv in.zip n; mkdir n/o; touch n/o/f n/f{1..50}; zip -qr n.zip n)
# Which name has the first colour of all is another.
strip() { sed 's/\x1b\[0m\x1b\[34m/\x1b[34m/'; }
# The section of @2 in a listing of all of bundle @1 is what is listed of it.
same() {
        local how=$1 b=$2 at=$3
        lsr --no-cache -R $how $b/ 2>&1 | awk -v h="$b/$at:" -v RS= -v FS='\n' '$1 == h' | tail -n +2 | strip >want
        lsr --no-cache $how $b/$at 2>&1 | strip >got
        [ -s want ] && cmp got want || { echo "$how $b/$at"; diff want got | head -n 5; }
}
for b in t.zip t.sqlar; do
        for at in t t/d1 t/d1/sub t/d2 t/d1/empty; do
                for how in -la "-la --color=always"; do
                        same "$how" $b $at
                done
        done
        for args in "-l $b/t/d1/file-with-a-name-7 $b/top" "-ld $b/t/d1 $b/t/d2/far" "-R $b/t/d1" "--tree $b/t/d1" "--total-size -l $b/t/d1 $b/t" \
                "-l $b/t/d2/far" "-lL $b/t/d2" "$b/t/d2/far/" "$b/t/../t/d1/sub" "$b//t/./d1/sub/" "$b/t/no" "$b/top/x" "-l $b/t/d2/broken"; do
                # With all the rest loaded by a question for everything.
                lsr --no-cache $args >got 2>&1; echo $? >>got
                lsr --no-cache -i $args 2>&1 | sed -E 's/^( *)[0-9?]+ /\1/' >want; echo ${PIPESTATUS[0]} >>want
                cmp -s <(sed -E 's/^ +//; s/ +/ /g' got) <(sed -E 's/^ +//; s/ +/ /g' want) || { echo "$args"; diff got want | head -n 4; }
        done
done
lsr --no-cache -la n.zip/n/in.zip/ | sed 's,  (.*,,' | awk '{ print $1, $2, $NF }'
rm -rf o; lsr --unpack --output=o t.zip/t/d2; diff -r t/d2 o/d2 2>&1 | grep -v 'No such file'
# What is sent for it.
sent() { strace -f -e trace=sendmsg -o trace lsr --no-cache "$@" >/dev/null 2>&1; sed -nE 's/.*sendmsg.* = ([0-9]+)$/\1/p' trace | awk '{ n += $1 } END { print n }'; }
for b in t.zip t.sqlar; do
        [ $(sent -l $b/t/d1) -lt 20000 ] || echo "$b: much is sent"
        [ $(sent -la --color=always $b/t/d1) -lt 20000 ] || echo "$b: much is sent, in colours"
        [ $(sent -lR $b/) -gt 100000 ] || echo "$b: little is sent"
done
# Members that are read one after the other cost no more than each by itself.
reads() { strace -f -y -e trace=read,pread64 -o trace lsr --io=sync --no-cache --cat "$@" >/dev/null; grep -cE '<[^>]*/t\.(zip|sqlar)>' trace; }
for b in t.zip t.sqlar; do
        a=$(reads $b/t/d1/file-with-a-name-7); z=$(reads $b/t/d9/file-with-a-name-9); both=$(reads $b/t/d1/file-with-a-name-7 $b/t/d9/file-with-a-name-9)
        back=$(reads $b/t/d9/file-with-a-name-9 $b/t/d1/file-with-a-name-7)
        [ $both -le $((a + z)) ] && [ $back -le $((a + z)) ] || echo "$b: $a and $z, together $both, or $back"
done
# What is known of a bundle is not read again for the next request: schema, names, a table of contents.
mkdir few; for i in {1..300}; do echo $i >few/f$i; done; sqlite3 few.sqlar -A -c few; lsr --pack few >/dev/null 2>&1
for b in few.sqlar few.tar.zst; do
        strace -f -y -e trace=read,pread64 -o trace lsr --io=sync --no-cache --cat $b/few/f7
        [ $(grep -c "/$b>" trace) -le 4 ] || grep "/$b>" trace | cut -c1-100
done
# A database is checked where it is read: its 120,000 members are not sent there and back.
sqlite3 c.db "create table w(k text primary key, v, n) without rowid; with recursive i(x) as (select 1 union all select x+1 from i where x<40000)
        insert into w select 'key-'||x, 'value '||x, x from i"
status lsr --check c.db; n=$(sent --check c.db); [ $n -lt 5000 ] || echo "$n bytes for a check"
strace -f -c -o trace lsr --check c.db >/dev/null; n=$(awk '$NF == "total" { print $4 }' trace); [ $n -lt 400 ] || echo "$n calls for a check"
