# engines: sync
# static:
# What must be copied to be read finds no room for this user: that is an error of the disk, and none of the limits.
python3 - <<'PY'
import gzip, zipfile

with zipfile.ZipFile("z.zip", "w") as z:
    z.writestr("a", "text\n" * 1000)
with open("z.zip", "rb") as f, gzip.open("z.zip.gz", "wb") as to:
    to.write(f.read())
PY
full() {
        strace -f -qq -o trace -e trace=memfd_create -e inject=memfd_create:error=EDQUOT lsr --no-cache "$@" 2>&1
        echo "=> $?"
}
full z.zip.gz/
cat z.zip | full -
lsr z.zip.gz/
