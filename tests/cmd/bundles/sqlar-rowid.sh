# A column that is called as the number of a row is not that number: each member has its own content.
python3 - <<'PY'
import sqlite3
for file, columns in (("a", ["rowid"]), ("b", ["_rowid_"]), ("c", ["RowID", "_rowid_"]), ("d", ["rowid", "_rowid_", "OID"])):
    c = sqlite3.connect(file + ".sqlar")
    c.execute(f"create table sqlar(name text primary key, mode int, mtime int, sz int, data blob, {','.join(columns)})")
    for name, content, number in (("a", b"first\n", 7), ("b", b"other\n", 7), ("c", b"third\n", "t")):
        c.execute(f"insert into sqlar values(?, 33188, 1, 6, ?{', ?' * len(columns)})", [name, content] + [number] * len(columns))
    c.commit()
PY
for file in a b c; do
	status lsr --cat $file.sqlar/a $file.sqlar/b $file.sqlar/c
	status lsr --check $file.sqlar
done
# Where its rows have no number that can be asked for, it is a table like others.
status lsr -R d.sqlar/
