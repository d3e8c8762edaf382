# engines: sync
# ring:
# root:
# static:
# What is in memory is never cold, and that is told; the program itself does not come from the disk.
mkdir d memory; for i in 1 2 3 4 5; do head -c 20000 /dev/urandom >d/$i; done
mount -t tmpfs none memory || exit
cp -r d memory/d
told() { lsr --compare "$@" --cold --runs=1 --formats=tar 2>&1 | sed "s,$PWD/,," | grep '^lsr:\|^read\|^cache\|eading' | mask_numbers | sed 's/ takes .*; \(the same bytes .*\) take .*/; \1/'; }
told memory/d
TMPDIR=$PWD/memory told d | sed 's/^\(cache  *cold: \)[^;]*/\1.../'
umount memory
lsr --compare d --cold --runs=1 --formats=tar --json | python3 -c '
import json, sys
for way in json.load(sys.stdin)["ways"]:
    print(way["name"], way["median"]["device_bytes"] < 1000000 or way["median"]["device_bytes"])'
