# engines: sync
# static:
# A million members, and not much memory: 200 bytes each and 64 MiB.
limit=$((200 * 1000000 + (64 << 20)))
for directories in 1000 0; do
        "$HELPERS/million-zip" m.zip 1000000 $directories
        peak=$("$HELPERS/peak-memory" out lsr -lR m.zip)
        echo "=> $?"
        grep -c '^-rw-r--r-- 1 ? ? 0 Jan  1  2020 file' out
        [ "$peak" -le $limit ] || echo "$peak bytes of memory, not $limit"
        rm m.zip out
done
