# Members as tar and unzip take them: named behind the bundle, unpacked under their whole paths.
mkdir -p d/e x; echo one >d/f; echo deep >d/e/g; echo b >d/e/b.txt; ln d/f d/e/hard; ln -s ../f d/e/soft; echo X >x/y
at '2020-01-02 03:04:05' d/f d/e/* d/e d x/y x
tar -cf b.tar d x; tar -czf b.tgz d x; zip -qry b.zip d x; tar -czf out.tgz b.tar x; lsr --pack --output=i.tar.zst d x 2>/dev/null
there() { find "${1-o}" -mindepth 1 -printf '%P %y %m %n %TY %l\n' 2>/dev/null | LC_ALL=C sort; rm -rf "${1-o}"; }
for b in b.tar b.tgz b.zip i.tar.zst; do
        echo "== $b"
        status lsr --unpack $b d/e/g x -C o; there
        status lsr --unpack $b 'd/e/*.txt' 'x*' --directory=o; there
        status lsr --unpack -Co $b ./d/e/../f d/e/hard; there
done
echo "== of which bundle: that before it; a bundle is one, and what is on disk and is none can be a member"
echo mine >plain; mkdir dir; echo m >dir/x; tar -cf p.tar plain dir
status lsr --unpack b.tar d/f p.tar plain dir -C o; there
status lsr --unpack b.tar d/f out.tgz b.tar -C o; there
status lsr --unpack out.tgz/b.tar d/e/g -C o; there
status lsr --unpack b.tar/d e/g -C o; there
lsr --unpack - d/e/b.txt -C o <b.tgz; there
echo "== none of it if one is not there"
status lsr --unpack b.tar d/f d/missing plain ../b.tar/d/f /etc/passwd -C o; there
status lsr --unpack out.tgz b.tar/d/f x -C o; there
status lsr --unpack plain d/f -C o; there
echo "== from a list"
printf 'd/e/g\n\nd/f/\n' | status lsr --unpack b.tgz --files-from=- -C o; there
printf 'd/e/g\n\nx\nd/f' | status lsr --unpack b.tgz x/y --files-from - -C o; there
printf 'd/e/*\0' >list; status lsr --unpack b.tar --files-from=list -C o; status lsr --unpack b.tar --files-from=list -0 -C o; there
printf 'd/e\0x/y\0d/e/g\0' | status lsr --unpack b.zip --files-from=- --null -C o; there
printf '../up\n/etc/passwd\nd/../../b.tar\n\033[1m\n' | status lsr --unpack b.tar --files-from=- -C o; there
status lsr --unpack b.tar p.tar --files-from=list -C o
status lsr --unpack - --files-from=- -C o <list
status lsr --unpack b.tar --files-from=missing -C o
printf '\n' >empty; status lsr --unpack b.tar --files-from=empty -C o; there
status lsr --unpack b.tar x/y --files-from=/dev/null -C o; there
status lsr --unpack b.tar --files-from=dir -C o; there
echo "== without the first components"
for b in b.tar i.tar.zst; do
        status lsr --unpack $b --strip-components=1 -C o; there
        status lsr --unpack $b d/e/hard x --strip-components=2 -C o; there
        status lsr --unpack $b/d/e/g --strip-components=0 -C o; there
        status lsr --unpack $b --strip-components=3 -C o; there
done
for n in -1 4097 x ''; do status lsr --unpack b.tar --strip-components=$n; done
echo "== names of what is made"
status lsr --unpack b.zip -v -C o 2>&1 | LC_ALL=C sort; status lsr --unpack b.tgz --verbose d/e/g --strip-components=1 -C o --force; there
lsr --unpack b.tgz -v -C o >/dev/full; echo $?; there
