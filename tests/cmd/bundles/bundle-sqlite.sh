# A database: tables, rows, columns.
python3 - <<'EOF'
import sqlite3
c = sqlite3.connect("a.db")
c.execute("create table users(id integer primary key, name text, photo blob)")
c.execute("insert into users values(1, 'ann', x'0102'), (7, 'bob', null)")
c.execute("create view v as select name from users")
c.commit()
EOF
status lsr -A a.db
status lsr a.db/users
status lsr -s --block-size=1 a.db/users/1
status lsr -R a.db/v
status lsr a.db/nothing
