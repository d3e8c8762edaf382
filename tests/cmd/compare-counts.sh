# engines: sync
# ring:
# static:
# The system calls of each way are those that strace counts.
mkdir -p d/a d/b; for i in $(seq 300); do head -c $((i * 50)) /dev/urandom >d/a/$i; done
head -c 400000 /dev/zero >d/b/large; ln -s x d/b/link
"$HELPERS/way-calls" d
# Three calls for a file: open, read, close.
lsr --compare d --runs=1 --formats= --json | python3 -c '
import json, sys
calls = json.load(sys.stdin)["ways"][0]["calls"]
print(calls["openat"] - 301 - 4, calls["read"] - 301 - 2, calls["close"] - 301 - 4)'
