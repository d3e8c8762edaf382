# Long rows of a database say what is in it: rows of tables, sizes, how rows begin.  --cat writes tables, rows, values and statements.
python3 - <<'PY'
import sqlite3
c = sqlite3.connect("app.db")
c.executescript("""
    create table users(id integer primary key, name text, photo blob, note);
    create index by_name on users(name);
    insert into users values(1, 'ann', x'0102', 1.5), (7, 'bob', null, 'a
long text that goes on and on'), (10, 'Zoë', null, char(27)||'[31mred'), (-3, 'neg', null, null);
    create table words(w text primary key, n) without rowid; insert into words values('one', 1), ('two', 2), ('a b', 3);
    create table pair(a int, b int, c, primary key(a, b)) without rowid; insert into pair values(1,2,'x'),(1,10,'y'),(10,1,'z'),(2,1,'w');
    create view v as select name from users; create table "odd/name"(x); insert into "odd/name" values('slash');
    create view endless as with recursive n(i) as (select 1 union all select i+1 from n) select max(i) from n;
""")
c.commit()
PY
for args in "-l app.db" "-ln app.db/users" "-la app.db/users" "-l app.db/words" "-1 app.db/users" "-1r app.db/users" "-1 app.db/pair" \
        "-1v app.db/users" "-lS app.db" "-lh --columns=size,links app.db" "-go app.db/users/7" "-ld app.db/users/7 app.db/users" \
        "--tree --level=2 -go app.db/pair" "-l --titles app.db/words" "-l --zero app.db/pair" "-lR app.db/words" "-sk app.db" "-lQ app.db/words"; do
        echo "$args:"
        status lsr --no-cache $args | sed 's/^\(d[^ ]*\) .* \.\.$/\1 ../' | tr '\0' '@'
done
(exec -a ls lsr -l app.db/words)
echo "json:"
lsr --json app.db | grep -o '"name.*' | sed 's/"inode":[0-9]*,//; s/"perm.*bundle/"bundle/'
lsr --json app.db/users | grep -o '"note.*'
# Nobody has asked what a view makes, nor how many rows a table has, for names alone.
lsr --color=always -F app.db | grep -c .
for i in users users/7 users/1/photo users/.schema.sql v words odd%2Fname odd%2Fname/1/x .schema.sql; do
        echo "cat $i:"
        status lsr --cat app.db/$i | od -An -c | grep -q '\\0\|002' && echo bytes || lsr --cat app.db/$i
done
status lsr --cat app.db/users/7/name app.db/words app.db/users/.schema.sql app.db/pair/1,2/c
status lsr --cat app.db/none/.schema.sql
# Columns are counted as they are seen.
python3 -c "
import sqlite3; c = sqlite3.connect('w.db'); c.executescript('create table ключ(a); create table t(a)'); c.commit()"
LC_ALL=C.UTF-8 lsr -go w.db
