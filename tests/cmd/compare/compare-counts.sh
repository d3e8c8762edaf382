# engines: sync
# ring:
# static:
# The system calls of each way are those that strace counts.
mkdir -p d/a d/b; for i in $(seq 300); do head -c $((i * 50)) /dev/urandom >d/a/$i; done
head -c 400000 /dev/zero >d/b/large; ln -s x d/b/link
"$HELPERS/way-calls" d
# How far a tar is read ahead from header to header depends on how long that takes: not picked from here.
"$HELPERS/way-calls" d --each --formats=tar,zip | grep -v equal
"$HELPERS/way-calls" d --random=20 --formats=zip | grep -v equal
# Three calls for a file: open, read, close; through the ring none, but for the large one.
lsr --compare d --runs=1 --formats= --json | python3 -c '
import json, sys
ways = json.load(sys.stdin)["ways"]
calls = ways[0]["calls"]
print(calls["openat"] - 301 - 4, calls["read"] - 301 - 2, calls["close"] - 301 - 4)
print(ways[3]["calls"]["openat"] - 1 - 4, ways[3]["calls"]["read"] - 1, ways[3]["median"]["ring_ops"] > 900)'
