# An index of lists that lacks a row of the table is not believed.
mkdir t && for i in 1 2 3 4 5; do echo $i >t/f$i; done
lsr --pack t --output=a.sqlar --mtime=@1 2>/dev/null
cat >hide.py <<'PY'
# Change the table while its index is not there, so that SQLite does not know of it.
import sqlite3, sys
c = sqlite3.connect("a.sqlar")
c.execute("pragma writable_schema=on")
schema = c.execute("select type,name,tbl_name,rootpage,sql from sqlite_schema where name='sqlar_list'").fetchall()
c.execute("delete from sqlite_schema where name='sqlar_list'")
c.commit()
c.close()
c = sqlite3.connect(sys.argv[2])
c.execute("attach 'a.sqlar' as a")
c.execute(sys.argv[1])
c.commit()
c.close()
c = sqlite3.connect("a.sqlar")
c.execute("pragma writable_schema=on")
c.executemany("insert into sqlite_schema values(?,?,?,?,?)", schema)
c.commit()
PY
cp a.sqlar whole.sqlar
python3 hide.py "insert into a.sqlar values('t/last',33188,1,0,'')" :memory:
lsr -R a.sqlar
echo "in the middle"
cp whole.sqlar a.sqlar
python3 - <<'PY'
import sqlite3
c = sqlite3.connect("a.sqlar")
c.execute("delete from sqlar where name='t/f3'")
c.commit()
PY
python3 hide.py "insert into a.sqlar(rowid,name,mode,mtime,sz,data) values(4,'t/f3',33188,1,0,'')" :memory:
lsr -R a.sqlar
