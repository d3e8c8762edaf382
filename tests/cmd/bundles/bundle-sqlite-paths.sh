# What a path in an archive names is the same, whether it alone is looked up or all is listed.
python3 - <<'EOF'
import sqlite3
c = sqlite3.connect("a.sqlar")
c.execute("create table sqlar(name text primary key, mode int, mtime int, sz int, data blob)")
def add(name, data, mode=0o100644):
    c.execute("insert into sqlar values(?,?,1,?,?)", (name, mode, -1 if mode & 0o120000 == 0o120000 else len(data), data))
for name in ["a/b", "./a/b", "twice/x", "twice//x", "/root", "up/x", "zz/../up/x", "f", "f/g", "file", "file/"]:
    add(name, b"row of %s\n" % name.encode())
add("dir", b"", 0o40755)
add("dir/in", b"row of dir/in\n")
add("dir.x", b"row of dir.x\n")
add("link", "a/b", 0o120777)
add("linkdir", "dir", 0o120777)
add("out", "../elsewhere", 0o120777)
add("both", "dir", 0o120777)
add("both/in", b"row of both/in\n")
c.commit()
d = sqlite3.connect("a.db")
d.execute("create table t(id integer primary key, v text)")
d.execute("create table k(k text primary key, v text)")
d.executemany("insert into t values(?,?)", [(1, "one"), (20, "twenty")])
d.executemany("insert into k values(?,?)", [("x/y", "slash"), ("..", "dots")])
d.commit()
EOF
for path in a/b ./a/b a//b a/../a/b twice/x root up/x f f/g f/none file dir dir/in dir/../dir.x dir.x link link/x \
        linkdir/in out both both/in none none/x; do
        echo "$path:"
        status lsr --cat "a.sqlar/$path" 2>&1
done
for path in t/1/v t/20/v t/020/v t/1 t t/3 k/x%2Fy/v k/%2E./v ./t//1/v none .schema.sql; do
        echo "$path:"
        status lsr --cat "a.db/$path" 2>&1
done
