# static:
# Rows of a tree with columns wait for the last one: what waits is little more than themselves.
mkdir -p d/{1..60}
for i in d/*; do
        (cd "$i" && touch name-of-a-file-{1..500})
done
peak=$("$HELPERS/peak-memory" /dev/null lsr --tree -l d)
[ $((peak / 30000)) -lt 300 ] && echo "less than 300 bytes a row" || echo "$((peak / 30000)) bytes a row"
