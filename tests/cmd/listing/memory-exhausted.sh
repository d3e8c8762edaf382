# static:
# engines: sync
# When there is no more memory, what was listed before is shown; a thread that reads ahead and gets none leaves it all to
# the main one.
unset LSR_IO
mkdir few; touch few/{a..e}
long=$(printf 'n%.0s' {1..240})
mkdir -p many/$long-{1..600}
# malloc() asks by brk() a few times as the program starts.
strace -f --seccomp-bpf -qq -o trace -e trace=mmap,brk -e inject=mmap:error=ENOMEM -e inject=brk:retval=0:when=6+ lsr --io=sync -1R few many >out 2>err
echo "=> $?"
cat out err
mkdir -p t/{1..150}/{a..e}
for d in t/*/*; do : >$d/$long-1; : >$d/$long-2; done
lsr --io=sync -lR t >want
# The main thread has not as many mappings, and each of the others has, as the output is not taken for a while.
strace -f --seccomp-bpf -qq -o trace -e trace=mmap -e inject=mmap:error=ENOMEM:when=13+ lsr --io=auto -lR t | (sleep 1; cat) | cmp - want && echo "all of it"
