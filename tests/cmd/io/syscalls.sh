# engines: uring
# static:
# Few system calls are a promise.  All of the process count, those of libc's start too; exit_group never returns, and
# strace -c does not count it.  Which chains are done when the ring is looked at is the scheduler's choice, and worth a
# call or two: the fewest of five runs counts.
# Ten thousand names are few calls, too, where that is asked for and not the least time.
unset LSR_IO
count() { strace -f -qq -o trace lsr -al $2 "$1" >/dev/null && grep -v exit_group trace | grep -cE "^[0-9]+ +[a-z0-9_]+\\("; }
for row in 10:40: 100:28: 1000:28: 10000:50: 10000:34:--io=uring:depth=4096; do
        IFS=: read -r n limit option <<<"$row"
        mkdir -p $n
        (cd $n && seq 1 $n | xargs touch)
        for run in 1 2 3 4 5; do
                calls=$(count $n $option)
                [ "$calls" -gt "$limit" ] || break
        done
        [ "$calls" -le "$limit" ] || echo "$n files: $calls system calls, not $limit"
done
echo "counted"
