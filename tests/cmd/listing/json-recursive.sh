mkdir -p a/b
touch a/b/f .h
lsr --json -R | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    print(e["path"], e["name"], e["type"])
'
# A tree is the same objects, each among the children of its directory.
mkdir a/empty
flat() {
        python3 -c '
import json, sys
def walk(e, top):
    if not top:
        print({k: v for k, v in e.items() if k not in ("children", "atime")})
    for child in e.get("children", ()):
        walk(child, False)
for line in sys.stdin:
    walk(json.loads(line), sys.argv[1] == "tree")
' "$1" | sort
}
lsr --json -RA a | flat list >want
lsr --json --tree -A a | flat tree | cmp - want
lsr --tree --json -a a | flat tree | cmp - want
tree() { lsr --json --columns=octal --tree "$@" | sed 's/"mode":"....",*//; s/"path":"[^"]*",//g; s/"type":"\([a-z]\)[a-z]*"/\1/g'; }
tree a
tree --level=1 a; tree --level=2 a a/b/f
tree --only-dirs a
tar -cf t.tar a; tree t.tar/a
status tree a nowhere a/x
