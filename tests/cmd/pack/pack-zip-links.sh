# Of symbolic links in a zip only some are looked at for a listing: the targets of all are packed, compared, and unpacked.
mkdir d; for i in 1 2 3 4; do ln -s to$i d/l$i; done; echo x >d/f
status lsr --limit=zip-links=2 --pack d --output=d.zip 2>&1 | sed 's/, [0-9.]* s$//'
lsr -l d.zip/d | grep -o 'l[0-9] ->.*'
status lsr --limit=zip-links=2 --unpack d.zip --output=o; (cd o/d; readlink *)
for f in tar zip sqlar; do
        status lsr --limit=zip-links=2 --pack d.zip --output=again.$f 2>&1 | sed -E 's/, [0-9.]* s$//; s/[0-9,]+ bytes out/N bytes out/'
        lsr -l again.$f/d | grep -o 'l[0-9] ->.*'
done
