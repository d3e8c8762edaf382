# Two directories or bundles: what is only in one, what differs, and as which exit status.
mkdir -p d/e/empty d/gone; echo one >d/f; seq 1 20000 >d/big; echo deep >d/e/g; ln d/f d/e/hard; ln -s ../f d/e/soft; mkfifo d/pipe; echo x >d/gone/x
chmod 4711 d/f; chmod 700 d/e; at '2020-01-02 03:04:05.5' d/* d/e/* d/e d/gone d
all() { for x in "$@"; do status lsr --diff d $x --content; status lsr --diff $x d --json; done; }
echo "== what was packed says nothing"
for to in tar tar.gz tar.zst; do lsr --pack d --output=b.$to 2>/dev/null; done
tar --posix -czf c.tgz d; cp -a d copy
all b.tar b.tar.gz b.tar.zst c.tgz copy d/ ./d/../d
tar -cf top.tar -C d .; all top.tar; (cd d; status lsr --diff . ../b.tar.zst; status lsr --diff ../b.tar.zst .)
status lsr --diff b.tar.zst c.tgz --content; status lsr --diff c.tgz b.tar --content; lsr --diff - d --content <c.tgz
rm d/pipe; at '2020-01-02 03:04:05.5' d; zip -qry b.zip d; lsr --pack d --output=b.sqlar 2>/dev/null; at '2020-01-02 03:04:05.5' d
status lsr --diff b.zip d; status lsr --diff d b.sqlar --content; status lsr --diff b.zip b.sqlar --content
echo "== what differs"
cp -a d n; echo two >n/f; chmod 640 n/big; at '2020-01-02 03:04:05.5' n/f; touch -d @1 n/e/g; ln -sfn ../big n/e/soft; touch -hd @2 n/e/soft; at '2020-01-02 03:04:05.5' n/e
rm -r n/gone; mkdir -p n/new/sub; echo y >n/new/sub/y; echo z >n/e.x; rmdir n/e/empty; echo file >n/e/empty; at '2020-01-02 03:04:05.5' n/new n/e.x n/e n; chown 7:8 n/big 2>/dev/null
at '2020-01-02 03:04:05.5' n/e/empty
status lsr --diff d n; echo; status lsr --diff d n --content; echo; status lsr --diff n d --json
tar --posix -czf n.tgz n; lsr --pack n --output=n.tar.zst 2>/dev/null
for x in n.tgz n.tar.zst n.tgz/n; do lsr --diff d n --content >want; lsr --diff d $x --content | cmp - want && echo same; lsr --diff b.zip $x | grep -v mtime | head -3; done
status lsr --diff b.tar.zst/d/e n.tgz/n/e
echo "== a byte"
cp -a d same; printf X | dd of=same/big bs=1 seek=70000 conv=notrunc status=none; at '2020-01-02 03:04:05.5' same/big
status lsr --diff d same; status lsr --diff d same --content; tar -czf same.tgz same; status lsr --diff same.tgz b.sqlar --content
echo 12 >>same/f; at '2020-01-02 03:04:05.5' same/f; chmod 4711 same/f; status lsr --diff d same --json; status lsr --diff d same
echo "== names"
mkdir p q; : >"p/$(printf 'new\nline')"; : >'q/a"b'; at '2020-01-01' p q; status lsr --diff p q --json
echo "== trouble"
status lsr --diff d; status lsr --diff d n d; status lsr --diff d missing; status lsr --diff d d/f; status lsr --diff b.tar/d/f d; status lsr --diff b.tar/x d
gzip -dc c.tgz | head -c 60000 >cut.tar; status lsr --diff cut.tar d --content | sed 's/mtime.*/mtime/'
zip -q -0 bad.zip -r d; printf X | dd of=bad.zip bs=1 seek=5000 conv=notrunc status=none; status lsr --diff d bad.zip --content
status lsr --diff d n >/dev/full
status lsr --diff d n -l
