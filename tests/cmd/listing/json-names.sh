# A name is text where it can be; the bytes are in name_b64 where it cannot.
touch $'\xff\xfe-bad' $'tab\tquote"back\\' $'new\nline' 'grün' $'\x7f'
lsr --json | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    print(ascii(e["name"]), e.get("name_b64"), ascii(e["path"]))
'
