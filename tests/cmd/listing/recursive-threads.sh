# static:
# engines: threads
# Threads come for large trees, not for small ones; each has descriptors of its own, or does without.
mkdir -p few/{a,b}/{c,d} t
for i in {1..60}; do mkdir -p t/$i/{a,b}; touch t/$i/x; done
cores=$(nproc)
clones() { strace -f -qq -e trace=clone,clone3 -o trace lsr "$@" >/dev/null; grep -c clone trace; }
clones -R few
clones -l t
clones -R --io=sync t
[ $cores = 1 ] || [ $(clones -R t) -gt 1 ] && echo threads
[ $cores = 1 ] || [ $(clones --tree --io=auto t) -gt 1 ] && echo threads
lsr --io=sync -lR t >want
strace -f -qq -o trace bash -c 'ulimit -n 5; exec lsr -lR t' | cmp - want && echo 5 descriptors each
strace -f -qq -e inject=unshare:error=EPERM -o trace bash -c 'ulimit -n 5; exec lsr -lR t' | cmp - want && echo 5 descriptors for all
