# Where descriptors or memory run out no bundle is made, as others might lack as much, and the old one stays.
mkdir -p d/s; echo 1 >d/1; echo 2 >d/s/2; head -c 400000 /dev/zero >d/large
lsr --pack d --output=x.tar 2>/dev/null
cp x.tar old.tar
try() { lsr --pack d --force --output=x.tar "$@" 2>&1; echo "=> $?"; cmp x.tar old.tar; }
(ulimit -n 5; LSR_IO=sync try)
for fault in stat=ENOMEM/2 open=ENOMEM/2 dir=ENOMEM/3 file=ENOMEM/2 read=ENOMEM/2; do
        try --io=fault:$LSR_IO:$fault
done
try --include=2 --io=fault:$LSR_IO:open=ENOMEM/2
LSR_IO=sync lsr --pack d --output=- --bundle-format=tar --io=fault:sync:open=ENOMEM/2 2>&1 >/dev/null
ls
