# locale: en_US.UTF-8
# Bidirectional overrides, which make a name read as another, reach no terminal, and no message or JSON anywhere.
export b=$'\u202e' m=$'\u061c'
mkdir "dir$b"
echo x >"dir$b/file$b$m"
python3 - <<'EOF'
import io, tarfile

with tarfile.open("names.tar", "w", format=tarfile.PAX_FORMAT) as t:
    for name, link in (("na\u202eme", ""), ("iso\u2066late", ""), ("li\u202ank", "ta\u200frget")):
        i = tarfile.TarInfo(name)
        i.uname, i.gname, i.linkname = "us\u202eer", "gr\u061cup", link
        i.type = tarfile.SYMTYPE if link else tarfile.REGTYPE
        i.size = 0 if link else 5
        if not link:
            i.pax_headers = {"SCHILY.xattr.user.\u202ex": "\u202e"}
        t.addfile(i, io.BytesIO(b"12345"))
EOF
head -c 2000 names.tar >cut.tar
cp cut.tar "cut$b.tar"

echo '-- messages'
lsr "--opt$b"
lsr "--color=$b"
lsr "--sort=$m"
lsr "--block-size=$b" .
lsr --cat "no$b" names.tar/$'na\u202em'
lsr --unpack --output=o names.tar
lsr --unpack --output=o names.tar
lsr --check "cut$b.tar"

echo '-- JSON'
lsr --json "dir$b" names.tar/li* | grep -oE '"(path|name|target)":"[^"]*"'
lsr --diff --json names.tar cut.tar

echo '-- on a terminal'
while read -r command; do
	printf '%s: ' "$command"
	script -qec "$command" /dev/null </dev/null >out 2>&1
	[ -s out ] || echo -n 'nothing came, '
	if grep -q $'[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]' out; then cat -v out; else echo 'none'; fi
done <<'EOF'
lsr --color=never -laR names.tar dir$b
lsr --tree -l names.tar dir$b
lsr --json names.tar dir$b
lsr "no$b"
lsr --sort=$m
lsr --opt$b
lsr --unpack -v --output=new names.tar
lsr --unpack --output=new names.tar
lsr --unpack --output=un$b cut.tar
lsr --check names.tar cut$b.tar
lsr --cat names.tar/no$b cut.tar/na${b}me
lsr --diff names.tar cut.tar
lsr --diff -v names.tar "dir$b"
lsr --pack --dry-run "dir$b"
EOF
