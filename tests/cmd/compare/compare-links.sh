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
# Symbolic links and special files have several names, too.
mkdir -p e/a e/b; ln -s x e/a/link; ln -P e/a/link e/b/link; ln -P e/a/link e/b/third; mkfifo e/a/fifo; ln e/a/fifo e/b/fifo; echo 1 >e/a/1; ln e/a/1 e/b/1
lsr --compare e --runs=1 --formats=tar,tar.gz,tar.zst,zip,sqlar --json | python3 -c '
import json, sys
for way in json.load(sys.stdin)["ways"]:
    print(way["name"], way["members"], way["differs"], way["error"])'
