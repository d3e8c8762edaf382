# static:
# engines: threads
# A directory that hangs does not keep back what comes before it.
mkdir t
for i in {10..60}; do mkdir -p t/$i/a; done
strace -f -qq -e trace=openat -P t/45 -e inject=openat:delay_enter=5s -o trace lsr -R t >got 2>/dev/null &
for try in {1..40}; do
        sleep 0.1
        grep -qx t/44/a: got && break
done
grep -cx t/44/a: got
grep -cx t/45: got
wait
lsr --io=sync -R t | cmp - got && echo same
