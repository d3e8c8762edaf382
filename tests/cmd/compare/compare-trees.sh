# engines: sync
# ring:
# Every way reads the same: links of both kinds, holes, large and empty files, odd names; bundles of each subdirectory.
told() { python3 -c '
import json, sys
x = json.load(sys.stdin)
print(x["members"], x["files"], x["content_bytes"], x["each"], x["random"])
first = x["ways"][0]
for way in x["ways"]:
    same = [way[k] == first[k] for k in ("digest", "members", "content_bytes")]
    print(way["name"], way["format"], way["files"], all(same), way["differs"], way["error"], len(way["runs"]))'; }
mkdir -p d/a/b d/c d/.dot
for i in $(seq 300); do head -c $((i * 7)) /dev/urandom >d/a/$i; done
{ head -c 699999 /dev/urandom; printf w; } >d/c/large; head -c 262144 /dev/zero >d/c/buffer; head -c 131072 /dev/zero >d/c/cap
: >d/c/empty; truncate -s 3M d/c/hole; echo end >>d/c/hole
ln d/a/1 d/a/b/hard; ln d/c/large d/c/too; ln -s ../a/1 d/c/link; ln -s nowhere d/.dot/dangling
echo 1 >"d/.dot/a b"; echo 2 >$'d/.dot/\xc3\xa9\n'; echo 3 >d/top
lsr --compare d --runs=2 --json 2>&1 | told
lsr --compare d --each --runs=1 --json --formats=tar.zst,zip,tar.xz 2>err | told; cat err
lsr --compare d --random=50 --runs=1 --json 2>&1 | told
# The digest tells whether a byte has changed.
lsr --compare d --runs=1 --formats= --json | grep -o '"digest":"[0-9a-f]*"' | sort | uniq -c >before
printf x | dd of=d/c/large bs=1 seek=699999 conv=notrunc 2>/dev/null
lsr --compare d --runs=1 --formats= --json | grep -o '"digest":"[0-9a-f]*"' | sort | uniq -c >after
cut -c 1-8 before after; cmp -s before after || echo changed
# A path that is longer than a call takes, read in order and as a pick.
python3 -c '
import os
os.mkdir("deep"); at = os.open("deep", os.O_RDONLY)
for i in range(30):
    os.mkdir("x" * 200, dir_fd=at); at = os.open("x" * 200, os.O_RDONLY, dir_fd=at)
    os.write(os.open(f"f{i}", os.O_WRONLY | os.O_CREAT, dir_fd=at), b"deep %d" % i)'
lsr --compare deep --runs=1 --json --formats=tar,zip,sqlar 2>&1 | told
lsr --compare deep --random=100 --runs=1 --json --formats=tar.zst,sqlar 2>&1 | told
# A format that cannot hold all of it has no bundle.  How many columns say so depends: that of what was read from the device
# is there if a page of anything, the program among it, had to be read again.
python3 -c '
import os
os.mkdir("deeper"); at = os.open("deeper", os.O_RDONLY)
for i in range(270):
    os.mkdir("y" * 250, dir_fd=at); below = os.open("y" * 250, os.O_RDONLY, dir_fd=at); os.close(at); at = below
os.write(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=at), b"deep")'
lsr --compare deeper --runs=1 --formats=tar,zip >out 2>&1; echo "=> $?"; sed 's/yyy[y/]*/Y/g' out | grep '^zip' | squeeze | sed -E 's/( -)+ / - /'
