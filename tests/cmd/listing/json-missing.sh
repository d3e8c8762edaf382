touch here
lsr --json here gone >out
echo "=> $?"
python3 -c '
import json
for line in open("out"):
    e = json.loads(line)
    print(e["path"], e.get("type"), e.get("error"))
'
# A link to nothing that is followed: there is its name, and why there is no more.
mkdir d
ln -s nowhere d/link
lsr --json -L d
echo "=> $?"
lsr -Li d
