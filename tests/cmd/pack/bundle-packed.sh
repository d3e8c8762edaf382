# Formats that need random access, behind filters: they are decompressed first, to memory or to an unnamed file.
mkdir d d/e; echo x >d/f; echo yy >d/e/g; at '2020-01-02 03:04' d/f d/e/g
python3 - <<'PY'
import zipfile
z = zipfile.ZipFile("b.zip", "w")
z.write("d/f"); z.write("d/e/g")
PY
sqlite3 -A -cf b.sqlar d; 7z a -bd -bso0 b.7z d; xorriso -as mkisofs -quiet -R -o b.iso d 2>/dev/null
for b in b.zip b.sqlar b.7z b.iso; do
        gzip -nk $b; zstd -q $b
        status lsr -R $b.gz
        status lsr $b.zst
        status lsr -R - <$b.gz
        cat $b.zst | status lsr -R -
done
status lsr -l --time-style=+%F -go b.zip.gz/d/e/g
# Nested, both ways, and as one that is entered and one that is not.
tar -cf in.tar b.zip; zip -q in.zip in.tar; xz -k in.zip
status lsr in.zip.xz/in.tar/b.zip/d
tar -cf out.tar b.zip.gz b.sqlar.zst
status lsr out.tar/b.zip.gz/d out.tar/b.sqlar.zst/d/e
status lsr b.zip.gz out.tar
status lsr --json b.zip.gz/d/f | tr , '\n' | grep -E 'bundle|method'
# Cut off.
head -c 60 b.zip | gzip -n >cut.zip.gz
status lsr -R cut.zip.gz
gzip -dc b.sqlar.gz | head -c 1000 | gzip -n >cut.sqlar.gz
status lsr cut.sqlar.gz
head -c 150 b.sqlar.gz >short.sqlar.gz
status lsr short.sqlar.gz
