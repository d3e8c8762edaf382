mkdir -p a/b
touch a/b/f .h
lsr --json -R | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    print(e["path"], e["name"], e["type"])
'
# A tree is the same objects.
lsr --json -R a | sed 's/"atime":"[^"]*"//' >recursive
lsr --json --tree a | sed 's/"atime":"[^"]*"//' | cmp - recursive
lsr --tree --json a | sed 's/"atime":"[^"]*"//' | cmp - recursive
