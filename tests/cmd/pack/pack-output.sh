# Where bundles go: a pipe, a device, over an old file; and that a failure leaves the old one.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir d; echo x >d/f; head -c 3000000 /dev/urandom >d/big
lsr --pack d --output=- 2>/dev/null | tar --zstd -t
lsr --pack d --output=- --bundle-format=.tar 2>/dev/null | tar -t
lsr --pack d --output=- --bundle-format=tar 2>/dev/null >d/self; tar -tf d/self; rm d/self
lsr --pack d --output=- --bundle-format=tar 2>&1 >d/self | grep -v ^lsr:.standard; rm d/self
echo old >x.tar; chmod 600 x.tar
pack d --output=x.tar
cat x.tar
pack d --output=x.tar --force; tar -tf x.tar; stat -c %a x.tar
ln -s nowhere l.tar; pack d --output=l.tar
pack d --output=/dev/full --bundle-format=tar
# A FIFO has a reader, or is refused: nobody waits for one.
mkfifo p.tar; exec 9<>p.tar; (tar -tf p.tar 9>&- >names) & pack d --output=p.tar; exec 9>&-; wait; cat names; rm names
mkfifo q.tar; timeout 20 lsr --pack d --output=q.tar; echo "=> $?"
(ulimit -f 1000; trap '' XFSZ; pack d --output=x.tar --force; cmp <(tar -xOf x.tar d/big) d/big && echo the old one is there)
(umask 077; pack d --output=y.tar; stat -c %a y.tar)
ls -A
