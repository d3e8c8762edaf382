# engines: sync
# ring:
# What --compare writes can be read by others, whatever a directory is called.
d='a<script>alert("1")&'
mkdir -p "$d/x/y" "$d/z"
for i in $(seq 40); do seq $((i * 20)) >"$d/x/f$i"; done
seq 9000 >"$d/z/large"; : >"$d/x/y/empty"; ln -s f1 "$d/x/link"
compare() { lsr --compare "$PWD/$d" --runs=2 --formats=tar,tar.zst,zip "$@"; echo "=> $?" >&2; }
compare --json >out.json; "$HELPERS"/compare-report.py json out.json
compare --csv >out.csv; "$HELPERS"/compare-report.py csv out.csv
compare --html=out.html >out.txt; "$HELPERS"/compare-report.py html out.html
head -n 2 out.txt | sed "s# '.*/a# 'a#"
sed -n 's/^\(way\|files, [a-z]*\|tar\|tar.zst\|zip, deflate\)  .*/\1/p' out.txt
tail -n 1 out.txt | sed 's/ takes .*//'
