# engines: threads
# As many threads work as were asked for, whatever cores there are, here and in the parser; what is printed is the same.
unset LSR_IO
mkdir d
(cd d && seq 1 3000 | xargs touch)
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do mkdir -p t/$i && touch t/$i/a t/$i/b; done
seq 1 6000000 >numbers
tar -cf - numbers | gzip -1 >numbers.tar.gz
lsr -l --io=sync d >want.d
lsr -lR --io=sync t >want.t
lsr -l --no-cache --threads=1 numbers.tar.gz >want.gz
export ASAN_OPTIONS=detect_leaks=0 # under strace it cannot
# Threads that were made.
made() {
        want=$1
        shift
        strace -f -qq -o trace -e trace=clone,clone3 lsr "$@" >got
        cmp got "$want"
        grep -v ENOSYS trace | grep -c CLONE_THREAD || :
}
for n in 1 2 4 8; do
        echo "$n: $(made want.d -l --io=threads --threads=$n d) for names," \
                "$(made want.t -lR --threads=$n t) for a tree," \
                "$([ "$(made want.gz -l --no-cache --threads=$n numbers.tar.gz)" = 0 ] && echo none || echo some) for a .tar.gz"
        lsr -l --io=uring --threads=$n d | cmp - want.d
done
status lsr --threads=0 d
status lsr --threads=2 --compare d
