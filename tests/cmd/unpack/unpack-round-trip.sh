# root:
# All kinds of files come back as they were, as bsdtar and tar bring them back.
mkdir -p d/e/g d/empty
echo one >d/f1; seq 1 60000 >d/big; echo deep >d/e/f; : >d/zero; printf 'a\nb' >"d/new
line"; echo x >$'d/\303\244 b'; echo y >$'d/\377'
ln d/f1 d/hard; ln d/big d/e/g/hard; ln -s f1 d/soft; ln d/soft d/hardsoft; ln -s /etc/passwd d/abs; ln -s no d/broken
mkfifo d/fifo; mknod d/null c 1 3; mknod d/disk b 259 70000
truncate -s 1M d/hole; echo end >>d/hole; printf a | dd of=d/hole bs=1 seek=500000 conv=notrunc status=none
truncate -s 300K d/tail
chmod 4755 d/f1; chmod 2755 d/e; chmod 0 d/zero; chown 1234:4321 d/big d/e/f; chown -h 77:78 d/soft d/fifo; chmod 6711 d/e/f
setfattr -n user.foo -v bar d/f1; setfattr -n user.dir -v x d/e; setfattr -n trusted.t -v 1 d/big; setfacl -m u:55:rw,g:56:r d/big; setfacl -d -m u:55:rx d/e/g
chmod 1555 d/e/g; chmod 444 d/hole
at '2001-02-03 04:05:06.123456789' d/e/f d/f1 d/e; at '1965-02-03 04:05:06' d/soft d/fifo; at '2001-02-03' d
seen() {
        (cd "$1" && find . -mindepth 1 -printf '%p %y %m %U %G %s %T@ %n %l\n' | LC_ALL=C sort &&
                find . -type f -exec md5sum {} + | LC_ALL=C sort && getfattr -Rdhm- . | LC_ALL=C sort && getfacl -Rn . &&
                find . -type c -exec stat -c '%n %t %T' {} + -o -type b -exec stat -c '%n %t %T' {} +) 2>&1
}
full() { diff <(seen d) <(seen "$1/d") >diff && echo same || cat diff; }
tar --xattrs --acls --xattrs-include='*' --format=posix -Scf b.tar d; zstd -q b.tar; gzip -nk b.tar
bsdtar --acls --xattrs -cf bsd.tar d 2>/dev/null
lsr --pack d --output=l.tar.zst 2>/dev/null
for b in b.tar b.tar.zst b.tar.gz l.tar.zst; do echo "== $b"; status lsr --unpack $b --output=o.$b; full o.$b; done
[ $(du -k o.b.tar.zst/d/hole | cut -f 1) -lt 100 ] && [ $(du -k o.b.tar/d/tail | cut -f 1) -lt 100 ] && echo holes
# What these formats do not keep is that of bsdtar, too.
like() {
        echo "== $1"; mkdir "peer.$1"; bsdtar -xpf "$1" -C "peer.$1" 2>/dev/null; status lsr --unpack "$1" --output="o.$1"
        diff <(seen "peer.$1/d") <(seen "o.$1/d") >diff && echo same || cat diff
}
rm d/abs d/hardsoft
bsdtar --format newc -cf b.cpio d 2>/dev/null; like b.cpio
rm -f $'d/\303\244 b' $'d/\377'; at '2001-02-03' d/soft; rm d/fifo d/null d/disk; zip -qyr b.zip d; like b.zip
like bsd.tar
