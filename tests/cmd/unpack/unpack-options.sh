# What is unpacked where; what exists stays unless --force; what is damaged leaves nothing behind.
mkdir -p d/e; echo one >d/f; echo deep >d/e/g; ln d/f d/e/hard; ln -s ../f d/e/soft; at '2020-01-02 03:04:05' d/f d/e/* d/e d
tar -cf b.tar d; tar -C d -cf root.tar --mtime=2020-01-02 --mode=0750 .; tar -czf out.tgz b.tar
list() { find "$1" -mindepth 1 -printf '%P %y %m %n %TY %l\n' | sed 's, 202[1-9] , now ,' | LC_ALL=C sort; rm -rf "$1"; }
status lsr --unpack b.tar --output=o; list o
echo "== a directory, a file, a hard link without what it leads to, a nested bundle and what is in one"
for what in b.tar/d/e b.tar/d/f b.tar/d/e/hard b.tar/d/e/soft out.tgz/b.tar out.tgz/b.tar/ out.tgz/b.tar/d/e/g; do
        echo "-- $what"; status lsr --unpack $what --output=o; list o
done
echo "== here, and from a pipe"
mkdir here; (cd here; status lsr --unpack ../b.tar; cat d/f; status lsr --unpack ../b.tar); list here
lsr --unpack - --output=o <out.tgz; list o
echo "== the root's own metadata, for what is new"
status lsr --unpack root.tar --output=o; stat -c '%a %y' o; list o
mkdir -m 700 o; lsr --unpack root.tar --output=o; stat -c %a o; list o
echo "== twice, and with force"
lsr --unpack b.tar --output=o; echo changed >o/d/f; chmod 700 o/d; ln o/d/f keep
status lsr --unpack b.tar --output=o; cat o/d/f; stat -c %a o/d
status lsr --unpack b.tar --output=o --force; cat o/d/f keep; list o
echo "== damaged"
seq 1 50000 >d/big; zip -q -0 b.zip d/big d/f; printf X | dd of=b.zip bs=1 seek=5000 conv=notrunc status=none
status lsr --unpack b.zip --output=o; list o
tar -cf cut.tar d/f d/big; truncate -s 100000 cut.tar
status lsr --unpack cut.tar --output=o; list o
echo "== of several bundles, some are none"
status lsr --unpack b.tar/no d no.tar b.tar/d/f --output=o; [ ! -e o ] || list o
status lsr --unpack
status lsr --unpack b.tar --output=s3://bucket/o
