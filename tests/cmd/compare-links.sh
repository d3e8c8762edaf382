# engines: sync
# ring:
# What has several names is on the disk once, and can be picked at random.
mkdir -p d/one d/two; for i in 1 2 3; do head -c 300000 /dev/urandom >d/one/$i; ln d/one/$i d/two/$i; ln d/one/$i other$i; done
sizes() { lsr --compare d --runs=1 --formats=tar --json "$@" | python3 -c '
import json, subprocess, sys
x = json.load(sys.stdin)
du = int(subprocess.check_output(["du", "-s", "--block-size=1", "d"], text=True).split()[0])
print(x["files"], x["content_bytes"], x["ways"][0]["allocated_bytes"] == du)
for way in x["ways"]:
    print(way["name"], way["members"], way["differs"], way["error"])'; }
sizes
sizes --random=20
sizes --random=20 --each
