# A description of a tree is listed as that tree; the content of its files is not in it, and files that it names stay alone.
cat >spec.mtree <<'EOF'
#mtree v2.0
/set type=file uid=1000 gid=100 mode=0644
. type=dir mode=0755 time=1577934245.0
    etc type=dir mode=0750 time=1577934245.0
        a\040b\134c size=3 time=1577934245.123456789
        setuid mode=04755 size=0 \
            uname=alice gname=staff
        link type=link link=../tool mode=0777
    ..
    tool content=/etc/passwd size=12
..
./etc/late type=file size=7
EOF
mkfifo tool
lsr -lnR --time-style=full-iso spec.mtree
lsr -ln spec.mtree/etc/setuid
lsr --json spec.mtree/tool | sed -E 's,"(user|group)":"[^"]*",,,g'
gzip -k spec.mtree; lsr -1 spec.mtree.gz
printf '#mtree\n./a type=file\n./b type=dir\n' >little.mtree; lsr -l little.mtree
status lsr --cat spec.mtree/tool
status lsr --cat spec.mtree/etc/setuid
status lsr --check spec.mtree
status lsr --unpack spec.mtree --output=out
find out | sort
echo '/set' >>little.mtree; status lsr little.mtree
mkdir tree; echo hello >tree/f; ln -s f tree/l; mkdir tree/d; touch -d @1577934245 tree/d tree/f; touch -h -d @1577934245 tree/l
touch -d @1577934245 tree
bsdtar --format=mtree -cf written.mtree tree; bsdtar --format=mtree --options=indent,use-set -cf set.mtree tree
lsr -gGR --time-style=long-iso written.mtree/tree; lsr -gGR --time-style=long-iso set.mtree/tree
