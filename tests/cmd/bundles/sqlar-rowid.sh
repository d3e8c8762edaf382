# A column that is called rowid is not the number of a row: each member has its own content.
python3 - <<'PY'
import sqlite3
c = sqlite3.connect("a.sqlar")
c.execute("create table sqlar(name text primary key, mode int, mtime int, sz int, data blob, rowid int)")
c.executemany("insert into sqlar values(?, 33188, 1, 6, ?, ?)", [("a", b"first\n", 7), ("b", b"other\n", 7), ("c", b"third\n", "t")])
c.commit()
PY
status lsr --cat a.sqlar/a a.sqlar/b a.sqlar/c
status lsr --check a.sqlar
