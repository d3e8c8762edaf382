# engines: sync
# The index of lists that our archives have: a listing is the one of the rows, and reads little.
mkdir -p tree/dir/sub tree/café
for i in {1..40}; do head -c $((i * 911)) /dev/urandom >tree/dir/file-$i; done
echo one >tree/a; echo two >tree/dir/sub/b; ln -s ../a tree/dir/link; ln -s nowhere tree/café/ünï; touch -h -d @1700000000 $(find tree)
lsr --pack --no-verify tree --output=own.sqlar 2>&1 | sed 's/,[^,]* bytes in.*//'
python3 - <<'PY'
import shutil, sqlite3, sys
def change(name, *sql):
    shutil.copy("own.sqlar", name + ".sqlar")
    c = sqlite3.connect(name + ".sqlar", isolation_level=None)
    for s in sql:
        c.execute(s)
    c.close()
    shutil.copy(name + ".sqlar", name + ".plain.sqlar")
    c = sqlite3.connect(name + ".plain.sqlar", isolation_level=None)
    c.execute("DROP INDEX sqlar_list")
    c.close()
row = "REPLACE INTO sqlar(name,mode,mtime,sz,data) VALUES"
change("as-packed")
change("added", row + "('tree/new',33188,1,3,x'616263')", row + "('tree/a',33152,7,2,x'6162')", "DELETE FROM sqlar WHERE name='tree/dir/file-7'")
change("spelled-twice", row + "('./tree//a',33188,1,3,x'616263')", row + "('tree/dir/../a',33188,2,4,x'61626364')")
change("odd-names", row + "(x'66ff',33188,1,1,x'61')", row + "(17,33188,1,1,x'61')", row + "('',33188,1,1,x'61')", row + "('x/y/',16877,1,0,NULL)")
change("odd-values", row + "('n',NULL,'x',1.5,'text')", row + "('l',41471,1,-1,'" + "t" * 4096 + "')", row + "('m',41471,1,-1,'" + "t" * 4097 + "')")
change("no-name", row + "(NULL,33188,1,1,x'61')")
change("far-away", row + "('far',33188,1,1,x'61')", "UPDATE sqlar SET rowid=0x7fffffffffffffff WHERE name='far'")
change("negative", row + "('minus',33188,1,1,x'61')", "UPDATE sqlar SET rowid=-5 WHERE name='minus'")
# Of the same name, and it is another.
change("other", "DROP INDEX sqlar_list", "CREATE INDEX sqlar_list ON sqlar(mode) WHERE mode=33188")
# In UTF-16 the length of a text is another.
c = sqlite3.connect("utf16.sqlar", isolation_level=None)
c.execute("PRAGMA encoding='UTF-16'")
d = sqlite3.connect("own.sqlar")
for sql, in d.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"):
    c.execute(sql)
c.executemany("INSERT INTO sqlar VALUES(?,?,?,?,?)", d.execute("SELECT * FROM sqlar"))
c.execute(row + "('é',41471,1,-1,'ü')")
c.close()
shutil.copy("utf16.sqlar", "utf16.plain.sqlar")
c = sqlite3.connect("utf16.plain.sqlar", isolation_level=None)
c.execute("DROP INDEX sqlar_list")
c.close()
# A root that is no page of an index: rows are listed.
c = sqlite3.connect("own.sqlar")
root, = c.execute("SELECT rootpage FROM sqlite_schema WHERE name='sqlar_list'").fetchone()
size, = c.execute("PRAGMA page_size").fetchone()
data = bytearray(open("own.sqlar", "rb").read())
data[(root - 1) * size:root * size] = b"\xff" * size
open("damaged.sqlar", "wb").write(data)
shutil.copy("as-packed.plain.sqlar", "damaged.plain.sqlar")
# An index that says something else than the row.
shutil.copy("own.sqlar", "lies.sqlar")
c = sqlite3.connect("lies.sqlar", isolation_level=None)
entry = c.execute("SELECT * FROM sqlite_schema WHERE name='sqlar_list'").fetchone()
c.execute("PRAGMA writable_schema=ON")
c.execute("DELETE FROM sqlite_schema WHERE name='sqlar_list'")
c.close()
c = sqlite3.connect("lies.sqlar", isolation_level=None)
c.execute("UPDATE sqlar SET mode=? WHERE name='tree/a'", (0o100600,))
c.execute("PRAGMA writable_schema=ON")
c.execute("INSERT INTO sqlite_schema VALUES(?,?,?,?,?)", entry)
c.close()
PY
for f in as-packed added spelled-twice odd-names odd-values no-name far-away negative other utf16 damaged; do
        for args in "-U --json -R @" "-l @/tree/dir" "--cat @/tree/a" "--cat @/tree/dir/link @/tree/dir/sub/b"; do
                for kind in .plain ''; do
                        cp $f$kind.sqlar x.sqlar
                        status lsr --no-cache ${args//@/x.sqlar} >out$kind 2>&1
                done
                cmp -s out out.plain && echo "$f $args: the same" || { echo "$f $args:"; diff out.plain out; }
        done
done
# It is believed for lists alone.
lsr --no-cache -lR lies.sqlar/ | grep ' a$' | cut -c1-10
lsr --unpack lies.sqlar --output=out.d && stat -c %a out.d/tree/a
