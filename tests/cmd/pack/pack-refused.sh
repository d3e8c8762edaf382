# Refused before any work, with what to do.
mkdir d; echo x >d/f
echo old >d.tar.zst
status lsr --pack d
status lsr --pack d --output=d/in.tar
status lsr --pack d --output=d/../d/in.tar
status lsr --pack d --output=missing/d.tar
mkdir x.tar; status lsr --pack d --output=x.tar; rmdir x.tar
status lsr --pack d --output=d/ --bundle-format=tar
status lsr --pack d --output=d.rar 2>&1 | sed 's/use one of.*/use one of .../'
status lsr --pack d --bundle-format=rar 2>&1 | sed 's/use one of.*/use one of .../'
status lsr --pack d --bundle-format=tar --compression-level=3 --output=x.tar
status lsr --pack d --compression-level=99 --output=x.tar.zst
status lsr --pack d --compression-level=many
status lsr --pack d --threads=0
status lsr --pack d --owner=nobody-has-this-name
status lsr --pack d --owner=0:nobody-has-this-name
status lsr --pack d --owner=
status lsr --pack d --mtime=yesterday
SOURCE_DATE_EPOCH=soon status lsr --pack d
status lsr --pack --each d --output=d.tar.zst
status lsr --pack d --io=bogus
status lsr --pack d --gitignore --output=x.tar 2>&1 | sed "s|fatal: .*|fatal: ...|"
script -qec 'lsr --pack d --output=-' /dev/null | tr -d '\r'
ls -A . d; cat d.tar.zst
# A ring that is refused: an error if it was asked for, else nothing.
for i in $(seq 200); do echo $i >d/$i; done
status env LSR_IO=auto $HELPERS/no-io-uring lsr --pack d --io=uring --output=y.tar
status env LSR_IO=auto $HELPERS/no-io-uring lsr --pack d --io=auto --output=y.tar 2>/dev/null
tar -tf y.tar | wc -l
