# Of a database what was asked for is read, and nothing else: a view that never ends costs whoever enters it.
python3 - <<'PY'
import sqlite3, zipfile, io
c = sqlite3.connect("a.db")
c.executescript("""
    create table users(id integer primary key, name text, photo blob); insert into users values(1, 'ann', x'0102'), (7, 'bob', null);
    create table words(w text primary key, n) without rowid; insert into words values('one', 1), ('two', 2), ('three', 3);
    create view endless as with recursive n(i) as (select 1 union all select i+1 from n) select max(i) from n;
    create view v as select name from users; create table files(data);
""")
z = io.BytesIO()
with zipfile.ZipFile(z, "w") as f:
    f.writestr("in/x", "nested"); f.writestr("in/y", "other")
    for name, to in ("up", "../../../../users"), ("near", "x"):
        i = zipfile.ZipInfo("in/" + name); i.create_system = 3; i.external_attr = 0o120777 << 16; f.writestr(i, to)
c.execute("insert into files values(?)", (z.getvalue(),))
c.commit()
PY
for args in -l -i -F --json -d "--tree --level=1" "-l a.db/users" "a.db/users/7 a.db/words/two a.db/users" "-l a.db/words" "-la a.db/users/1" \
        "a.db/users/99" "a.db/users/../words" "a.db/users/99/../1" "a.db/./users//1/" "a.db/endless/../users" "-d a.db/endless a.db/users" \
        "--tree a.db/users" "-R a.db/v" "-l --total-size a.db/users/1" "-l --total-size a.db/words" "--tree --level=2 a.db/users" \
        "a.db/files/1/data/in" "a.db/files/1/data/in/x a.db/users/1" "-l a.db/files/1/data/in/up a.db/words"; do
        echo "$args:"
        case $args in *a.db*) ;; *) args="$args a.db" ;; esac
        status lsr --no-cache $args 2>&1 | sed 's/"inode":[0-9]*//'
done
# Content: of several members, in any order, with what leads elsewhere in between.
status lsr --cat a.db/users/7/name a.db/words/two/n a.db/users/1/name a.db/words/one/w a.db/v/2/name
status lsr --cat a.db/users/1/name a.db/files/1/data/in/x a.db/files/1/data/in/near a.db/users/7/name a.db/words/none a.db/words/three/n
status lsr --unpack --output=out a.db/users; (cd out; find . -type f | LC_ALL=C sort)
# A link that leads where nothing was read, beside what was found before: all of it is loaded, and rows found again.
python3 -c "
import sqlite3
c = sqlite3.connect('a.db'); c.execute('drop view endless'); c.commit()
d = sqlite3.connect('b.db'); d.executescript('create view endless as with recursive n(i) as (select 1 union all select i+1 from n) select max(i) from n'); d.commit()"
status lsr a.db/words a.db/files/1/data/in/up a.db/users/7 a.db/files/1/data/in
# Whoever enters it is told, and has all else.
status lsr b.db/endless
