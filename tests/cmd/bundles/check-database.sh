# Damage that SQLite tells of once, when a page comes into its cache, is damage for whoever looks again.
python3 - <<'PY'
import sqlite3
c = sqlite3.connect("damaged.db")
c.executescript("pragma page_size=512; create table good(a); create table bad(a primary key, b) without rowid; insert into good values('one'),('two'); insert into bad values('three', 1), ('four', 2)")
c.commit()
root = c.execute("select rootpage from sqlite_schema where name='bad'").fetchone()[0]
c.close()
with open("damaged.db", "r+b") as f:
    f.seek(512 * (root - 1) + 3)  # how many cells there are
    f.write(bytes([0, 20]))
PY
status lsr --check damaged.db
status lsr damaged.db/bad
status lsr --cat damaged.db/good/1/a damaged.db/bad damaged.db/bad
