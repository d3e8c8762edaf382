# engines: sync
# ring:
# Names of packages that begin alike: each file is picked from its own bundle.
for n in lib lib-dev lib.so 'lib!' lib0 a a-b; do mkdir -p "d/$n"; echo "$n" >"d/$n/f"; done
lsr --compare d --each --random=50 --runs=1 --json | python3 -c '
import json, sys
for way in json.load(sys.stdin)["ways"]:
    print(way["name"], way["files"], way["differs"], way["error"])'
