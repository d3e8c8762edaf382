# engines: sync
# The forms of the report, and ways that cannot be.
mkdir d; for i in $(seq 20); do echo $i >d/$i; done
lsr --compare d --runs=1 --formats=tar | sed -n '/^way/p; $p' | cut -c 1-30
lsr --compare d --runs=1 --formats=tar --csv | cut -d, -f 1-3 | sort | uniq -c | head -20
lsr --compare d --runs=3 --formats=zip-store --json | python3 -c '
import json, sys
x = json.load(sys.stdin)
print(sorted(x["facts"]))
for way in x["ways"]:
    m = way["median"]
    print(way["name"], len(way["runs"]), m["io_ns"] > 0, m["io_ns"] + m["decode_ns"] <= max(r["total_ns"] for r in way["runs"]), m["peak_bytes"] > 100000)'
# Without a ring that way has an error, and the others are compared.
"$HELPERS/no-io-uring" lsr --compare d --runs=1 --formats=tar --json | grep -o '"error":"[^"]*"\|"name":"[^"]*"'; echo "=> ${PIPESTATUS[0]}"
lsr --compare d --runs=1 --formats= >/dev/full; echo "=> $?"
# A tree that changes meanwhile: not all ways read the same, and it is told.
mkdir g; echo >g/x; (while sleep 0.01; do echo more >>g/x; done) & writer=$!
lsr --compare g --runs=2 --formats=tar --json >out; echo "=> $?"
kill $writer; wait $writer 2>/dev/null
grep -q '"differs":true' out && echo differs
# Latin-1, and what is no text at all, in every format.
mkdir n; echo 1 >n/a; echo 2 >n/$'\xe9'; echo 3 >n/$'\x01\xff\n'; lsr --compare n --runs=1 --json | grep -c '"differs":false'
