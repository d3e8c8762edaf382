# Content of members of every kind of bundle, of links in them, nested, and of real files.
mkdir -p d/e
echo one >d/f1; seq 1 60000 >d/big; echo deep >d/e/f; : >d/empty
ln d/f1 d/hard; ln -s f1 d/soft; ln -s e d/dir; ln -s /etc/passwd d/out; ln -s ../../x d/above; ln -s no d/broken
truncate -s 1M d/hole; echo end >>d/hole
tar -cf b.tar d; tar -Scf s.tar d; gzip -nk b.tar; zstd -q b.tar; xz -k b.tar
zip -qyr b.zip d; 7z a -bd -snl b.7z d >/dev/null; bsdtar --format cpio -cf b.cpio d
for b in b.tar s.tar b.tar.gz b.tar.zst b.tar.xz b.zip b.7z b.cpio; do
        echo "== $b"
        lsr --cat $b/d/f1 $b/d/e/f $b/d/hard $b/d/soft $b/d/dir/f $b/d/empty || echo "=> $?"
        lsr --cat $b/d/big | cmp - d/big
        lsr --cat $b/d/hole | cmp - d/hole
done
tar -cf in.tar d; tar -czf out.tgz in.tar; tar -cf out.tar out.tgz
lsr --cat out.tar/out.tgz/in.tar/d/f1 d/e/f
# In the order of the operands, whatever that of the bundle is.
lsr --cat b.tar.gz/d/hard b.tar.gz/d/e/f d/f1 b.zip/d/f1 b.tar.gz/d/f1 - <d/e/f
sqlite3 b.sqlar -A -c d/f1 d/e/f; lsr --cat b.sqlar/d/e/f
sqlite3 b.db 'create table t(a, b); insert into t values(1, "x"), (2, "yy")'; lsr --cat b.db/t/2/b; echo
# A row is an object; tables and directories of archives are not to be read.
sqlite3 b.db "create table w(k text primary key, v) without rowid; insert into w values('a/b', x'ff00'), ('n', null)"
lsr --cat b.db/t/1 b.db/w/a%2Fb b.db/t/2/b b.db/w/n
status lsr --cat b.db/w; status lsr --cat b.db/t/1 b.db/t b.db/t/2; status lsr --cat b.sqlar/d
for bad in b.tar/d b.tar/d/no b.tar/d/f1/x b.tar/d/out b.tar/d/above b.tar/d/broken no.tar/x d b.zip/d; do
        status lsr --cat $bad d/f1
done
lsr --cat b.tar | cmp - b.tar
status lsr --cat
status lsr --cat --check x
lsr --cat b.tar/d/f1 >/dev/full; echo "=> $?"
lsr --cat b.tar/d/big b.tar.gz/d/big | head -n 1
