# engines: sync
# Files that vanish or cannot be read while packing: named, the rest is packed, and what is packed is right.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir -p d/s; for i in 1 2 3 4 5; do echo $i >d/$i; echo s$i >d/s/$i; done; head -c 400000 /dev/zero | tr '\0' x >d/large
try() { pack d --force --output=x.tar --io=fault:sync:$1 $2; tar -tf x.tar | tr '\n' ' '; echo; mkdir -p o; tar -xf x.tar -C o; diff -rq d o/d; rm -r o; }
try stat=ENOENT/4
try stat=EIO/2
try file=EACCES/3
try file=ENOENT/1
try open=EACCES/2
try dir=EIO/2
try dir=EIO/3
try read=EIO/2 --no-verify
try read=EIO/3
try part/2
try short/3
# The directory whose files are named is no member, unless it cannot be read: then it is one, of which that is said.
printf '1\ns\n' >names
for n in 1 3; do
        pack --directory=d --files-from=names --force --output=x.tar --io=fault:sync:dir=EIO/$n; tar -tf x.tar | tr '\n' ' '; echo
done
