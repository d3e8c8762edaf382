# root:
mkdir d
printf 'hello' >d/file
chmod 640 d/file
chown 0:0 d/file
touch -d '2020-02-29 12:34:56.123456789' d/file
ln -s file d/link
touch -h -d '1969-12-31 23:59:59.5' d/link
lsr --json d | python3 -c '
import json, sys
for line in sys.stdin:
    e = json.loads(line)
    for key in sorted(e):
        if key in ("inode", "dev", "atime", "ctime", "btime", "blocks"):
            print(key, type(e[key]).__name__)
        else:
            print(key, repr(e[key]))
    print("--")
'
