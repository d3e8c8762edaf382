# Directories that a bundle does not store are shown as unpacking makes them: by the umask, with the newest time below.
mkdir -p d/a/b; echo 1 >d/a/b/old; echo 2 >d/a/new; echo 3 >d/last
at '2001-02-03 04:05:06' d/a/b/old; at '2002-02-03 04:05:06.5' d/a/new; at '2003-02-03 04:05:06' d/last
tar --format=posix -cf t.tar --owner=0 --group=0 --numeric-owner d/a/b/old d/a/new d/last; zip -qrDX z.zip d; gzip -k t.tar
for b in t.tar z.zip t.tar.gz; do
        echo "== $b"
        lsr -lanR --full-time $b/d | sed 's/ 20[^0].* \.\.$/ TIME ../'
        (umask 077; lsr -go --time-style=+%Y $b | sed 1d)
        lsr -t $b/d
        lsr -ldgo --time-style=+%Y $b/d/a
        lsr --json $b/d/a | head -1
        lsr -go --time-style=+%Y --color=always $b/d | cat -v
done
# A directory that is stored keeps what is stored, and one without anything below that has a time has none.
mkdir e; chmod 700 e; echo 1 >e/f; at '2004-01-01' e/f; at '2001-01-01' e; tar -cf s.tar e d/last
lsr -go --time-style=+%Y s.tar | sed 1d
printf '#mtree\n./x/y type=file\n' >n.mtree; lsr -goR n.mtree
# Nothing else takes notice: what is unpacked has the time at which it was made.
lsr --unpack t.tar --output=out; find out/d -newermt 2020-01-01 | sort
lsr --check t.tar
