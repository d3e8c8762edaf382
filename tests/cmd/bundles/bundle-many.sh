# Many bundles, few descriptors: what is not in use is closed and opened again.
mkdir d; echo x >d/f; tar -cf in.tar d; gzip -nk in.tar; zip -qr in.zip d
mkdir many
for i in $(seq 75); do
        mkdir m$i; echo $i >m$i/file$i; cp in.tar in.tar.gz in.zip m$i
        tar -cf many/$i.tar m$i
        [ $i -gt 8 ] || sqlite3 -A -cf many/$i.sqlar m$i
done
rm -r m*[0-9]
tar -cf all.tar many; gzip -nk1 all.tar
ulimit -n 70 # a sealed ring wants 64
lsr --bundles=always many/*.tar | grep -c '^m'
lsr -R --bundles=always many | grep -c '^f$'
lsr -R --bundles=always all.tar | grep -c '^f$'
lsr -R --bundles=always --tree all.tar.gz | grep -c -- '[-─] f$'
# Breadth first comes back to each.
lsr -R --bundles=always many >a; lsr -R --bundles=always all.tar/many | sed 's,^all.tar/,,' >b; cmp a b
cd many
lsr -d $(for i in *.tar; do echo $i/m${i%.tar}/in.tar/d $i/m${i%.tar}/in.tar.gz/d/f; done) 2>&1 | cut -d/ -f 3- | sort | uniq -c
