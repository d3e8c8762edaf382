mkdir -p a/b
touch a/b/f .h
lsr --json -R | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    print(e["path"], e["name"], e["type"])
'
