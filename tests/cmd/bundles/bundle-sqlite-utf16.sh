# What an archive or a database holds is the same in every encoding of text: names, targets, keys, sizes in bytes.
python3 - <<'PY'
import sqlite3, zlib
for encoding in "UTF-8", "UTF-16le", "UTF-16be":
    c = sqlite3.connect(encoding + ".sqlar")
    c.execute("pragma encoding='%s'" % encoding)
    c.execute("create table sqlar(name text primary key, mode int, mtime int, sz int, data blob)")
    deep = "x" * 5000
    c.executemany("insert into sqlar values(?,?,1,?,?)", [
        ("a", 0o100644, 3, b"abc"), ("dir/Zoë", 0o100644, 5, "Zoë\n"), ("dir/long", 0o100644, 5000, zlib.compress(b"x" * 5000)),
        ("dir/text", 0o100644, 5000, deep), ("dir/lies", 0o100644, 9000, "é"), ("link", 0o120777, -1, "dir/Zoë"),
        ("bytes", 0o120777, -1, "dir/Zoë".encode()), (b"blob", 0o100600, 1, b"b"), ("日本", 0o40755, 0, None)])
    c.commit()
    c = sqlite3.connect(encoding + ".db")
    c.execute("pragma encoding='%s'" % encoding)
    c.executescript("""
        create table t(a, b text); insert into t values('Zoë', '日本'), (x'005a', ''), (1.5, null);
        create table "ключ"("имя" text primary key, v) without rowid; insert into "ключ" values('а/б', 'в'), ('г', 7);
        create view v as select b as "ß" from t;
    """)
    c.commit()
PY
for x in sqlar db; do
        for e in 8 16le 16be; do
                mkdir $e-$x
                cp UTF-$e.$x $e-$x/x.$x
                (
                        cd $e-$x
                        lsr -lAR --time-style=+%s x.$x | sed 's,  (.*,,'
                        lsr --json x.$x/dir | grep -o '"name":[^,]*\|"size":[^,]*'
                        lsr --check x.$x
                        lsr --unpack --output=out x.$x
                        (cd out; find . -type f -exec md5sum {} +; find . -type l -printf '%p %l\n') | LC_ALL=C sort
                        lsr --cat x.$x/dir/Zoë; lsr --cat x.$x/link; lsr --cat x.$x/bytes; lsr --cat x.$x/dir/text | wc -c
                        lsr --cat x.$x/t/1 x.$x/ключ/а%2Fб/v x.$x/v/1/ß
                ) >$e-$x.got 2>&1
        done
        diff 8-$x.got 16le-$x.got
        diff 8-$x.got 16be-$x.got
        cat 8-$x.got
done
