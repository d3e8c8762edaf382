# A long tree with columns is written by several cores: all of its rows, in their order, and as by one.
cpu=$(taskset -pc $$ | sed 's/.*[: ]\([0-9]*\).*/\1/')
mkdir -p t/{a..j}/{deep/er,w}
for d in t/{a..j}; do
        (cd "$d" && touch -d '2024-02-03 04:05' {1..499} deep/{1..300} deep/er/last)
done
printf '%0123456d' 0 >t/j/large
touch "t/j/with blank"
ln -s a t/link
find t -type d -exec touch -d '2024-02-03 04:05' {} +
cd t || exit
same() {
        lsr --tree "$@" >../many
        taskset -c "$cpu" lsr --tree "$@" >../one
        cmp ../many ../one && echo "$* $(wc -l <../many)"
}
same -l .
same -l --titles --time-style=+%c .
same -si .
same -l --color=always .
same -l --quoting-style=shell --level=2 .
TZ=EST5EDT4,M3.2.0,M11.1.0 same -l .
# Names are those of a tree without columns.
lsr --tree . >../names
lsr --tree --columns=octal . | head -n -2 | sed 's,^.....,,; s, -> a$,,' | cmp - ../names
