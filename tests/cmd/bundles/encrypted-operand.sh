# A member that only a password opens is a file, named as an operand, too: it is not asked whether it is a bundle itself.
echo secret >a; at @1577934245 a
zip -q -X -P word e.zip a; 7z a -bd -bso0 -pword e.7z a
for b in e.zip e.7z; do
        lsr -go --time-style=long-iso $b/a
        status lsr $b/a/x
        status lsr --cat $b/a
done
