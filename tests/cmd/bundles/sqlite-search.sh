# Tables for text search have the rows that SELECT * has; of other virtual tables lsr says where their data are.  The statements have a short name.
python3 - <<'PY'
import sqlite3
c = sqlite3.connect("app.db")
c.executescript("""
    create virtual table docs using fts5(title, body); create virtual table old using fts4(text); create virtual table box using rtree(id, x0, x1);
    create table notes(id integer primary key, text); create virtual table found using fts5(text, content='notes', content_rowid='id');
    insert into docs(rowid, title, body) values(1, 'one', 'first words'), (20, 'two', zeroblob(2000000)), (3, 'three', null);
    insert into old values('long ago'); insert into box values(1, 0, 1); insert into notes values(7, 'of another table');
    create view v as select title from docs where title < 'two';
""")
c.commit()
PY
status lsr -go app.db | sed 's/ [0-9? ]* / /'
status lsr -go app.db/docs | sed '1d; s/^\(d[^ ]*\) .* \.\.$/\1 ../'
status lsr -R app.db/found app.db/old app.db/v
status lsr app.db/box
status lsr --cat app.db/found app.db/docs/1 app.db/docs/3/title app.db/old app.db/v
lsr --cat app.db/docs/20/body | wc -c
status lsr --cat app.db/box
status lsr --check app.db
echo "= statements"
status lsr --cat app.db/notes/.schema app.db/docs/.schema
lsr --cat app.db/.schema | cmp - <(lsr --cat app.db/.schema.sql)
status lsr -d app.db/notes/.schema app.db/.schema app.db/.schema/ app.db/notes/7/.schema
status lsr --unpack app.db notes/.schema -C out; find out -type f
