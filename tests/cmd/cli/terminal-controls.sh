# Nothing that lsr was given, by options, the environment, names or bundles, reaches a terminal as a control.
export e=$'\e[31m' SOURCE_DATE_EPOCH=
mkdir "dir$e"
echo x >"dir$e/file$e"
python3 - <<'PY'
import sqlite3, tarfile

with tarfile.open("names.tar", "w", format=tarfile.PAX_FORMAT) as t:
    for name, link in (("na\x1bme", ""), ("li\x1bnk", "ta\x1brget")):
        i = tarfile.TarInfo(name)
        i.uname, i.gname, i.linkname = "us\x1ber", "gr\x9b\x1bup", link
        i.type = tarfile.SYMTYPE if link else tarfile.REGTYPE
        i.pax_headers = {"SCHILY.xattr.user.\x1bx": "\x1b"}
        t.addfile(i)
db = sqlite3.connect("tables.db")
db.execute('CREATE TABLE "ta\x1bble"(a, "b\x1b")')
db.execute('INSERT INTO "ta\x1bble" VALUES(1, 2)')
db.commit()
with tarfile.open("owners.tar", "w", format=tarfile.GNU_FORMAT, encoding="latin1") as t:
    for name in "\x9b31m", "\x9d0;title\x9c":
        i = tarfile.TarInfo("c1" + name)
        i.uid, i.gid, i.uname, i.gname = 12345, 54321, name, name
        t.addfile(i)
PY
head -c 700 names.tar >cut.tar
git init -q "git$e"; printf '[core]\nbare = zz\xc2\x9b\e[31m\n' >>"git$e/.git/config"

echo '-- messages'
lsr "--opt$e"
lsr $'-\e'
lsr $'--c1-\xc2\x9b31m-\x9b31m-\x7f-\xc3\xa9'
lsr "--block-size=$e" .
lsr "--colour=$e"
lsr "--all=$e"
lsr "--owner=$e" --pack .
lsr "--mtime=$e" --pack "--output=x.tar" .
lsr "--output=x$e" --pack .
lsr "no$e"
SOURCE_DATE_EPOCH=$e lsr --pack --output=y.tar "dir$e"
COLUMNS=$e LS_BLOCK_SIZE=$e QUOTING_STYLE=$e lsr "dir$e" >/dev/null
LS_COLORS="di=1:$e=3" lsr --color=always -d "dir$e" >/dev/null

echo '-- on a terminal'
# Called as ls, messages are GNU's where no terminal reads them.
mkdir "a$e"; ln -s "$(type -P lsr)" "a$e/ls"
while read -r command; do
	printf '%s: ' "$command"
	script -qec "$command" /dev/null </dev/null >out 2>&1
	[ -s out ] || echo -n 'nothing came, '
	if grep -aq "Try 'lsr" out; then echo -n 'refused, '; fi
	if grep -aq $'[\e\x9b\x9d]' out; then cat -v out; else echo 'no control'; fi
done <<'EOF'
lsr --color=never -aR --columns=mode,octal,links,user,group,author,context,size,modified,age,packed,ratio,method,offset names.tar tables.db
lsr --color=never -l names.tar
lsr --color=never -NlR tables.db names.tar "dir$e"
lsr --color=never --tree -l names.tar tables.db "dir$e"
lsr --color=never --json names.tar
lsr --check names.tar tables.db cut.tar
lsr --opt$e
lsr --block-size=$e .
"a$e/ls" --opt$e
lsr -l cut.tar "no$e"
lsr --unpack --output=un$e cut.tar
lsr --compare --formats=tar "dir$e" 2>/dev/null
lsr --color=never -l --author owners.tar
lsr --color=never --git "git$e"
lsr --pack --gitignore --output=g.tar "git$e"
EOF
