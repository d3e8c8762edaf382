# engines: uring
# ring:
# static:
# With --io=uring the ring reads bundles: no plain call does, in neither process, and streams have several reads in
# flight.  What goes on in a ring strace does not see, but with how many requests at once it is entered.
unset LSR_IO
mkdir d; for i in 1 2 3 4 5 6 7 8; do head -c 700000 /dev/urandom >d/f$i; done
tar -cf b.tar d; gzip -nk1 b.tar
zip -q0r b.zip d; sqlite3 -A -cf b.sqlar d; 7z a -bd -bso0 b.7z d
trace() { strace -f -y -o trace lsr --io=uring --no-cache --stats "$@" 2>stats; }
plain_reads() { grep -cE "^[0-9]+ +(read|readv|pread64|preadv2?|mmap|sendfile|splice|copy_file_range)\([^ ]*<[^>]*/$1>" trace; }
most_at_once() { sed -nE 's/^[0-9]+ +io_uring_enter\([^,]*, ([0-9]+),.*/\1/p' trace | sort -n | tail -n 1; }
for b in b.tar b.tar.gz b.zip b.sqlar b.7z; do
        trace -1 $b/d | wc -l
        echo "$b: $(plain_reads $b) plain reads"
        awk '/^ring requests/ && $3 > 0 { print "ring requests were made" }' stats
done
trace -1 b.tar.gz/d >list
[ "$(most_at_once)" -ge 2 ] && echo "several at once"
# The measure measures.
strace -f -y -o trace lsr --io=sync --no-cache b.zip/d >list
[ "$(plain_reads b.zip)" -ge 1 ] && echo "plain reads are seen"
