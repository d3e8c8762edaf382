# Columns that only bundles have: size in the bundle, ratio, method, offset.
mkdir -p d/e; printf %01000d 0 >d/zeros; echo hello >d/e/hello; ln -s zeros d/link; at '2024-02-03 04:05' d/* d/e/hello d
(cd d && zip -qry ../d.zip zeros link e); tar -cf d.tar d; lsr --pack d --output=d.tar.zst 2>/dev/null; gzip -kn d.tar
C=--columns=size,packed,ratio,method,offset
lsr $C --titles d.zip
lsr $C --titles d.tar/d
# What is at that place of the tar is the header of that name.
for m in d/zeros d/e/hello; do
        tail -c +$(($(lsr --columns=offset d.tar/$m | cut -d ' ' -f 1) + 1)) d.tar | head -c ${#m}; echo
        [ "$(lsr --columns=offset d.tar/$m | cut -d ' ' -f 1)" = "$(lsr --columns=offset d.tar.gz/$m | cut -d ' ' -f 1)" ] && echo same
done
tail -c +$(($(lsr --columns=offset d.zip/zeros | cut -d ' ' -f 1) + 1)) d.zip | head -c 2; echo
lsr $C -h d.zip/zeros; lsr $C d; lsr --columns=offset --tree d.tar.zst | sed 's/[0-9]\+/N/' | tail -n 3
lsr --json $C d.zip; lsr --json $C d/zeros
7z a -bd d.7z d >/dev/null 2>&1 && lsr --columns=offset d.7z/d/e
