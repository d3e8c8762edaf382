# What cannot be looked at is named with its path, and is no difference: it is there.
mkdir -p a/d/deep a/e b
for f in a/1 a/2 a/d/3 a/d/deep/4 a/e/5; do echo $f >$f; at 2020-02-02 $f; done
at 2020-02-02 a/d/deep a/d a/e a
cp -a a/. b
status lsr --diff a b
for spec in stat=EIO/3 stat=EIO/1 open=EACCES/1 open=EACCES/2 open=EACCES/3 dir=EIO/2; do
        echo "-- $spec"
        LSR_IO=fault:$LSR_IO:$spec status lsr --diff a/ b 2>&1
done
