# engines: sync
# ring:
# user:
# Who may not drop the caches has the pages dropped, and is told what stays.
mkdir d; for i in $(seq 50); do head -c 20000 /dev/urandom >d/$i; done
lsr --compare d --cold --runs=1 --formats=tar >out; echo "=> $?"
grep '^read\|^cache\|^With' out | mask_numbers | sed 's/ takes .*//'
# They come from the disk again, also where they had not been written to it yet.
for i in $(seq 50); do head -c 20000 /dev/urandom >d/$i; done
lsr --compare d --cold --runs=1 --formats=tar --json | python3 -c '
import json, subprocess, sys
disk = subprocess.check_output(["stat", "-f", "-c", "%T", "."], text=True).strip() not in ("tmpfs", "overlayfs")
for way in json.load(sys.stdin)["ways"]:
    print(way["name"], not disk or way["median"]["device_bytes"] >= 1000000)'
