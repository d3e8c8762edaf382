# static:
# Names that are printed as they come take no memory: the listing of 40,000 maps as often as that of one.
mkdir d e
(cd d && seq 1 40000 | xargs touch)
touch e/x
maps() { strace -f -qq -e trace=mmap,brk,mremap -o trace lsr "$@" >/dev/null; wc -l <trace; }
for o in -f -U1; do [ $(maps $o d) = $(maps $o e) ] && echo none; done
[ $(maps -1 d) -gt $(maps -1 e) ] && echo "some with an order"
