# A directory that cannot be read is told and makes the exit status 1, also where --include or --dry-run looks.
mkdir -p d/no d/yes; echo 1 >d/a.c; echo 2 >d/no/b.c; echo 3 >d/yes/c.c; chmod 0 d/no
chown -R nobody d; chmod 755 . ; mkdir out; chown nobody out
user() { echo "$ $*"; setpriv --reuid=nobody --clear-groups "$@" 2>&1 | sed 's/, [0-9.]* s$//; s/, [0-9,]* bytes out//'; echo "=> ${PIPESTATUS[0]}"; }
user lsr --pack d --include='*.c' --output=out/x.tar; tar -tf out/x.tar
user lsr --pack d --include=no --output=out/y.tar; tar -tf out/y.tar
user lsr --pack d --dry-run --output=out/z.tar
user lsr --pack d --dry-run --include='*.c' --output=out/z.tar
user lsr --pack d --include='*.h' --output=out/z.tar
