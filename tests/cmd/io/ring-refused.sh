# engines: sync
# Where the kernel refuses rings, auto says nothing and does without; asked for by name, uring is an error.
unset LSR_IO
mkdir empty d
(cd d && touch $(seq 1 1000))
"$HELPERS/no-io-uring" lsr -l --stats d 2>err >out
echo "=> $?, $(grep -c ' root ' out) files"
grep -E '^engine|^ring requests' err
awk '/^thread requests/ && $3 >= 1000 { print "threads did it" }' err
lsr -l --io=sync d | cmp - out
status "$HELPERS/no-io-uring" lsr -l --io=uring d
status "$HELPERS/no-io-uring" lsr --io=uring empty
status "$HELPERS/no-io-uring" lsr --io=threads empty
