# More than a lot of files, links between them, directories that sort between files.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
python3 - <<P
import os
os.makedirs("d/x"); os.makedirs("d/x!"); os.makedirs("d/x0"); open("d/x.", "w").close(); open("d/x-y", "w").close()
for i in range(3000):
    with open(f"d/f{i}", "wb") as f: f.write(b"%d\n" % i * (i % 97))
    if i % 3 == 0: os.link(f"d/f{i}", f"d/x/l{i}")
    if i % 500 == 0: open(f"d/x0/big{i}", "wb").write(os.urandom(140000))
P
pack d
mkdir o; tar --zstd -xf d.tar.zst -C o; status diff -r d o/d
[ $(stat -c %h o/d/f0) = 2 ] && [ o/d/f0 -ef o/d/x/l0 ] && echo linked
tar --zstd -tf d.tar.zst >order; LC_ALL=C sort -c order && echo in order
tar --zstd -tf d.tar.zst | grep x | grep -v /l
