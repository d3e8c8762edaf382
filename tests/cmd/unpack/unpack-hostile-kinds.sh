# user:
# The same tricks in bundles of other kinds: nothing outside the target is touched.
mkdir outside; echo safe >outside/f
python3 - <<'P'
import sqlite3, stat, warnings, zipfile

warnings.simplefilter("ignore")

members = [  # name, mode, content or target
    ("../up", stat.S_IFREG | 0o644, "1"), ("/abs", stat.S_IFREG | 0o644, "2"), ("a/../../b", stat.S_IFREG | 0o644, "3"),
    ("x", stat.S_IFLNK | 0o777, "../../outside"), ("x/evil", stat.S_IFREG | 0o644, "4"),
    ("y", stat.S_IFLNK | 0o777, "../../outside/f"), ("y", stat.S_IFREG | 0o644, "5"),
    ("..\\back", stat.S_IFREG | 0o644, "6"), ("LINK", stat.S_IFLNK | 0o777, "../../outside"), ("link/f", stat.S_IFREG | 0o644, "7"),
    ("dev", stat.S_IFCHR | 0o666, ""), ("d/./e/", stat.S_IFDIR | 0o755, ""), ("s", stat.S_IFREG | 0o6755, "8"),
]
with zipfile.ZipFile("b.zip", "w") as z:
    for name, mode, data in members:
        info = zipfile.ZipInfo(name)
        info.create_system, info.external_attr = 3, mode << 16
        z.writestr(info, data)
db = sqlite3.connect("b.sqlar")
db.execute("CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)")
for name, mode, data in members:
    link = stat.S_ISLNK(mode)
    db.execute("INSERT OR IGNORE INTO sqlar VALUES(?,?,1,?,?)",
               (name, mode, -1 if link else len(data), data if link else None if stat.S_ISDIR(mode) else data.encode()))
db.commit()
db.close()
with open("b.cpio", "wb") as f:
    for i, (name, mode, data) in enumerate(members + [("TRAILER!!!", 0, "")], 1):
        name = name.encode() + b"\0"
        f.write(b"070701" + b"".join(b"%08x" % n for n in (i, mode, 0, 0, 1, 1, len(data), 0, 0, 1, 3, len(name), 0)))
        f.write(name + b"\0" * (-(110 + len(name)) % 4) + data.encode() + b"\0" * (-len(data) % 4))
P
for b in b.zip b.sqlar b.cpio; do
        echo "== $b"; mkdir -p t
        lsr --unpack $b --output=t/o 2>&1 | sort; echo "=> ${PIPESTATUS[0]}"
        find t -mindepth 2 -printf '%P %y %m %l\n' | LC_ALL=C sort; echo "outside: $(cat outside/f) $(ls outside)"; rm -rf t
done
ls
