# Files that have more content than their size says: all of it is packed in every format, or the file is named.
formats='tar tar.gz tar.zst tar.xz zip sqlar'
mkdir out
for f in $formats; do
        lsr --pack /proc/sys/kernel/random/boot_id --force --output=out/one.$f 2>/dev/null
        echo "$f: $?"
        lsr --cat out/one.$f/boot_id | cmp - /proc/sys/kernel/random/boot_id
        lsr --pack /proc/sys/kernel/random --exclude=uuid --force --output=out/some.$f 2>err
        lsr --cat out/some.$f/random/boot_id | cmp - /proc/sys/kernel/random/boot_id
        lsr --cat out/some.$f/random/poolsize | cmp - /proc/sys/kernel/random/poolsize
done
echo '-- one without an end'
for f in $formats; do
        lsr --pack /proc/self/pagemap --force --output=out/x.$f 2>err
        echo "$f: $?"
        grep -v 'bytes out' err
        lsr -go --time-style=+T out/x.$f | sed 's/.* 1 //'
done
echo '-- an empty file is one'
touch empty
lsr --pack empty --output=empty.tar 2>&1 | sed 's/,[^,]*bytes out.*//'
lsr --cat empty.tar/empty | wc -c
