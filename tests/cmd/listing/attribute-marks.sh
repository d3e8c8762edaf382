# The mark behind the mode: as GNU ls has it, whatever the kernel lacks, and with one call for each file.
mkdir d d/default
(cd d && touch $(seq 1 700) && ln -s 1 link && ln -s nowhere orphan && mkfifo fifo)
for n in $(seq 5 5 700); do echo d/$n; done | xargs setfacl -m u:65534:r
setfacl -d -m u:65534:r d/default
setfattr -n user.long -v "$(printf %03000d 0)" d/7
for n in $(seq 12); do setfattr -n user.$(printf %090d $n) -v x d/8; done
setfattr -n security.selinux -v a:b:c:d d/9
setfattr -n security.selinux -v a:b:c:d d/10
setfacl -m u:65534:r d/8
ln -s "$(command -v lsr)" ls
same() { "$@" 2>/dev/null | cmp - want && echo "as GNU"; }
for options in -al -aLl -lR; do
        env ls $options d >want 2>/dev/null
        echo "ls $options: $(grep -c "^[^ ]*+" want) and $(grep -c "^[^ ]*\\." want) marks"
        same ./ls $options d
        same "$HELPERS/without" listxattrat ./ls $options d
        same "$HELPERS/without" listxattrat-allowed ./ls $options d
done
(cd d && env ls -ld * >../want && ../ls -ld * | cmp - ../want) && echo operands as GNU
./ls -lZ d >got && "$HELPERS/without" listxattrat ./ls -lZ d | cmp - got && echo contexts
setpriv --reuid=65534 --regid=65534 --clear-groups ./ls -l d/1 d/5 | cut -c-11
# No file is asked about by its path, but the one with more names than are expected.
unset LSR_IO
export ASAN_OPTIONS=detect_leaks=0 # under strace it cannot
strace -f -qq -o trace -e trace=llistxattr,listxattr ./ls -al d >/dev/null
grep -c listxattr trace
