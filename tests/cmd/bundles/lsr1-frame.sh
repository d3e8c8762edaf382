# A damaged frame gives what comes before the damage, and it is told of each member that it cannot be verified.
python3 - <<'PY'
import os, random
r = random.Random(1)
os.mkdir("t")
for i in range(60):
    with open(f"t/f{i:02}", "wb") as f:
        f.write(bytes(r.choices(b"abcdefgh", k=10000)))
PY
tar -C t -cf inner.tar f00 f01
mkdir inner && mv inner.tar inner
lsr --pack inner --output=b.tar.zst --mtime=@1 --owner=0 2>/dev/null
lsr --pack t --output=a.tar.zst --bundle-format=tar.zst --mtime=@1 --owner=0 2>/dev/null
cat >blocks.py <<'PY'
# RFC 8878, 3.1.1: frame header, blocks with three bytes in front of each, checksum.
import sys

data = bytearray(open(sys.argv[1], "rb").read())
at = 6 + (1, 2, 4, 8)[data[4] >> 6] - (data[4] >> 5 & 1)
blocks = []
while not blocks or not last:
    head = int.from_bytes(data[at : at + 3], "little")
    last, size = head & 1, head >> 3 if head >> 1 & 3 != 1 else 1
    blocks.append(at)
    at += 3 + size
for name, where in (("block", blocks[len(blocks) // 2]), ("sum", at), ("first", blocks[0])):
    bad = bytearray(data)
    bad[where] = bad[where] ^ 6 if name == "sum" else bad[where] | 6  # there is no such type of block
    with open(sys.argv[2] + name + ".tar.zst", "wb") as f:
        f.write(bad)
PY
python3 blocks.py a.tar.zst ""
python3 blocks.py b.tar.zst b-
for bundle in block sum first; do
	echo "== $bundle"
	status lsr --unpack $bundle.tar.zst --output=$bundle 2>err
	grep frame err | sed -E 's/[0-9,]+$/N/'
	there=$(ls $bundle/t 2>/dev/null | wc -l)
	[ $there -gt 0 ] && [ $there -lt 60 ] && echo "some are there"
	[ $there = 60 ] && echo "all are there"
	for file in $(ls $bundle/t 2>/dev/null); do cmp t/$file $bundle/t/$file; done
	[ $(grep -c "was unpacked, but it cannot be verified" err) = $there ] && echo "each of them is doubted"
	[ $(grep -c -e "was not unpacked" -e "cannot unpack .*/f.*its data are damaged" err) = $((60 - there)) ] && echo "all others are named"
	lsr --cat $bundle.tar.zst/t/f00 2>/dev/null >f00
	echo "=> $?"
	[ ! -s f00 ] || cmp f00 t/f00
	status lsr --check $bundle.tar.zst 2>/dev/null
done
# It is said once what is damaged.
lsr --cat sum.tar.zst/t/f01 sum.tar.zst/t/f59 >both
echo "=> $?"
cat t/f01 t/f59 | cmp - both
# A bundle in it can be listed.
status lsr -R b-sum.tar.zst/inner/inner.tar/
