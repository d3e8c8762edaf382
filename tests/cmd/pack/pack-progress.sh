# On a terminal a line tells how it is getting on and how long it will take; nowhere else.
mkdir d; for i in $(seq 60); do head -c 100000 /dev/urandom >d/$i; done
lsr --pack d --output=a.tar.zst --compression-level=19 --threads=1 2>err; wc -l <err; grep -c packing: err
script -qec 'lsr --pack d --output=b.tar.zst --compression-level=19 --threads=1' /dev/null >seen
tr '\r' '\n' <seen | grep -oE '^packing: [0-9]+ files, [0-9.]+ MB, [0-9]+ MB/s, [0-9]+ s left' | sed -E 's/[0-9.]+/N/g' | sort -u
cmp a.tar.zst b.tar.zst
# The next message takes the place of that line.
grep -ac $'\r\033\\[Klsr: b.tar.zst: ' seen
