# Only some of what there is: kinds, and names that match.  Recursion goes through the rest.
mkdir -p t/src/deep/er t/doc t/.hidden t/empty
touch t/a.c t/src/b.c t/src/b.h t/src/deep/er/c.c t/doc/page.md t/.hidden/d.c t/.e.c
ln -s src t/link
cd t
echo "-- one directory"
lsr --only='*.c'; lsr -A --only='*.c'; lsr -a --only='.?.c' --only=doc
lsr --only-dirs; lsr --only-files -F; lsr -L --only-dirs; lsr -1 -p --only-dirs -U | sort
lsr --only-dirs --only='*c'
lsr -l --only='*.c' | cut -c 1-10
echo "-- below"
lsr -R --only='*.c'
lsr -R --only-files
lsr -R --only-dirs .
lsr -R --only=nothing
lsr -R --only='*.c' --json | grep -o '"path":"[^"]*"'
echo "-- trees"
lsr --tree --only='*.c'
lsr --tree --only-files src
lsr --tree --only-dirs
lsr --tree -d -L2
echo "-- in a bundle"
cd ..; tar -cf t.tar t
lsr --only-dirs t.tar/t; lsr --only='*.c' t.tar/t; lsr -R --only='*.h' t.tar; lsr --tree -d t.tar
echo "-- operands are what was asked for"
lsr -d --only-dirs t/a.c t; lsr --only-files t/a.c t/doc
