# engines: uring
# ring:
# user:
# Where no process can be made the kernel has no workers for a ring, and tries to make one for each request: it is asked once.
mkdir a b c; for d in a b c; do touch $(seq -f $d/%g 100); done
lsr -l a b c >want
(ulimit -u 1; ASAN_OPTIONS=detect_leaks=0 exec lsr --stats -l a b c >got 2>stats); echo "=> $?"
cmp got want
n=$(awk '/^ring requests/ { print $3 }' stats); [ "$n" -gt 0 ] && [ "$n" -lt 250 ] || echo "$n requests"
