# user:
# What is beside a database counts, and nothing is left there.
python3 - <<'PY'
import os, shutil, sqlite3

def copy_open(name, *suffixes):
    for s in ("", *suffixes):
        shutil.copy("live" + s, name + s)

# A table that is committed in the log alone; a shared-memory file is not wanted, nor made.
c = sqlite3.connect("live", isolation_level=None)
c.execute("pragma journal_mode=wal"); c.execute("create table old(x)"); c.execute("pragma wal_checkpoint(truncate)")
c.execute("create table new(x)"); c.execute("insert into new values(1)")
copy_open("log.db", "-wal"); copy_open("sealed.db", "-wal"); copy_open("alone.db"); copy_open("cut.db", "-wal")
os.mkdir("elsewhere"); os.symlink("../log.db", "elsewhere/link.db")
os.truncate("cut.db-wal", 40)
open("alone.db-wal", "wb").close()
c.close(); os.unlink("live")
# A crash in the middle of a transaction: the journal has what was before.
c = sqlite3.connect("live", isolation_level=None)
c.execute("pragma cache_size=1"); c.execute("create table t(x)")
c.executemany("insert into t values(?)", [("before" * 100,)] * 50)
c.execute("begin"); c.execute("delete from t where rowid > 3"); c.execute("create table never(x)")
c.executemany("insert into never values(?)", [("x" * 1000,)] * 50)
copy_open("hot.db", "-journal")
c.execute("rollback"); c.close()
# An archive with everything that its own program stumbles over.
c = sqlite3.connect("odd.sqlar")
c.execute("create table sqlar(name text primary key, mode int, mtime int, sz int, data blob)")
c.executemany("insert into sqlar values(?,?,?,?,?)", [
    ("./in", 0o100644, 0, 2, b"hi"), ("/abs", 0o100600, -1, 0, b""), ("../up", 0o100644, 1 << 40, 1, b"x"),
    ("link", 0o120777, 0, -1, "in"), ("dir", 0o40750, 0, 0, None), ("dir/null", None, None, None, None),
    ("a//b", 0o100644, 0, 3, b"abc"), ("text", "mode", "time", "size", "data"), ("", 0o100644, 0, 0, b""),
])
c.commit()
c = sqlite3.connect("lies.sqlar")
c.execute("create table sqlar(name text primary key, mode int, mtime int, sz int, data blob)")
c.executemany("insert into sqlar values(?,?,?,?,?)", [("none", 0o100644, 0, 5, None), ("size", 0o100644, 0, 99, b"abc")])
c.commit()
# Keys of all kinds.
c = sqlite3.connect("keys.db")
c.executescript("""
    create table rowid(a, b); insert into rowid values(1, x'00ff'); insert into rowid(rowid, a) values(-5, null);
    create table text(k text primary key, v); insert into text values('a/b', 1), ('..', 2), ('', 3), ('ü%', 4);
    create table pair(a, b, c, primary key(a, b)) without rowid; insert into pair values('x', 1, 2), ('y,z', 2.5, 3);
    create view v as select 1 as one;
    create virtual table fts using fts5(x);
    create table "odd/name"(x); create table [.hidden](x); pragma application_id = 0x47504b47;
""")
c.commit()
# What is computed has no place in the row, and those behind it another one than in the table.
c = sqlite3.connect("computed.db")
c.executescript("""
    create table t(a, computed as (a || '!'), stored as (a || '?') stored, b); insert into t values('one', 'two');
    insert into t values('three', zeroblob(300000));
""")
c.commit()
c = sqlite3.connect("broken.db"); c.execute("create table fine(x)"); c.execute("create view broken as select * from absent")
c.commit()
PY
rm -f live*; ls >before
for db in log.db alone.db cut.db hot.db; do echo "$db"; status lsr $db; done
status lsr hot.db/t | tail -n 3
chmod 0 sealed.db-wal; status lsr sealed.db; status lsr sealed.db/old
status lsr elsewhere/link.db
status lsr -lAgo --time-style=+%F odd.sqlar
status lsr --check lies.sqlar
status lsr --json odd.sqlar/up | grep -o '"raw_name":[^,}]*'
status lsr keys.db
status lsr -1A keys.db/rowid keys.db/text keys.db/pair keys.db/v
status lsr -s --block-size=1 keys.db/rowid/1
status lsr -R broken.db
status lsr --check computed.db
for i in a computed stored b; do lsr --cat computed.db/t/1/$i; echo; done
ls | diff before -
