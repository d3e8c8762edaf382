# engines: sync
# static:
# What is packed as a database is read back through a connection for a run of members, not for each: few reads.
mkdir d
for i in {1..2000}; do echo "content of $i" >d/f$i; done
strace -f -qq -y -e trace=pread64 -o trace lsr --pack --bundle-format=sqlar --output=d.sqlar d 2>/dev/null
grep pread64 trace | grep -v "/d/f" >reads
[ $(wc -l <reads) -lt 500 ] || wc -l reads
status lsr --check d.sqlar
