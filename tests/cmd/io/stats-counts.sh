# root:
# static:
# What --stats counts is what strace sees, but for libc's own calls: to start, for memory, signals and threads.  Programs
# that are run are counted themselves, and their calls are not.
mkdir -p d/sub/x e
touch d/{1..30} d/sub/{a,b} e/f
chmod +x d/5
ln -s 1 d/l1
ln -s gone d/l2
ln -s sub d/l3
mkfifo d/p
libc='exit|exit_group|brk|munmap|mprotect|madvise|mremap|rt_sigprocmask|prlimit64|futex|set_robust_list|rseq'
difference() {
        strace -f -qq -o trace lsr "$@" --stats >/dev/null 2>stats
        read -r main rest <trace
        seen=$(grep -E "^$main +[a-z0-9_]+\(" trace | grep -cvE "^$main +($libc)\(|mmap\(.*MAP_ANONYMOUS")
        sed 's/.*"system_calls":\([0-9]*\).*/system calls \1/' stats | awk -v seen="$seen" '/^system calls/ { print seen - $3 }'
}
# So many to start, and to print the statistics.
start=$(difference -1 d)
[ "$start" -lt 12 ] || echo "$start to start"
while read -r options; do
        # shellcheck disable=SC2086
        found=$(difference $options)
        [ "$found" = "$start" ] || echo "$options: $((found - start)) more than counted"
done <<'OPTIONS'
-U1 d
-f d
-l d
-la d
-n d
-R d
-lR d
--tree d
-l --tree d
-F d
--color=always d
-l --color=always d
-L d
-lL d
-lZ d
-l --total-size d
--hyperlink d
-l --hyperlink d
-R --hyperlink d
-L --hyperlink d
--hyperlink d/1 d/l1 d/l3 d/sub
--json d
-d d
-l d e
d/1 d/l1 d/l3
-lH d/l3
--icons d
-i d
-s d
-R --bundles=always d
OPTIONS
# Owners that nobody knows: two runs of getent.
chown 4242:4243 d/7
found=$(difference -l d)
[ "$found" = "$start" ] || echo "getent: $((found - start)) more than counted"
grep '^programs run' stats
