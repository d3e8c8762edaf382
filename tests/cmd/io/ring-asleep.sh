# engines: uring
# From some thousands of names on the process sleeps while the ring works; where that is refused the listing is the same.
mkdir d few
(cd d && seq 1 6000 | xargs touch)
(cd few && seq 1 600 | xargs touch)
lsr -al --io=sync d >want
export ASAN_OPTIONS=detect_leaks=0 # under strace it cannot
clones() { strace -f -qq -o trace -e trace=clone "$@" >got; cmp got want; grep -c CLONE_VFORK trace || :; }
[ "$(clones lsr -al d)" -ge 2 ] && echo asleep
unset LSR_IO
[ "$(clones lsr -al d)" -ge 2 ] && echo asleep by itself
"$HELPERS/without" vfork lsr -al d | cmp - want && echo refused
clones "$HELPERS/without" vfork lsr -al d
clones lsr -al --io=uring:depth=4096 d
lsr -al --io=sync few >want
clones lsr -al few
