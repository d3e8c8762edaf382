touch here
lsr --json here gone >out
echo "=> $?"
python3 -c '
import json
for line in open("out"):
    e = json.loads(line)
    print(e["path"], e.get("type"), e.get("error"))
'
