# --unpack takes of a damaged frame what comes before the damage, and tells of each member that it cannot be verified.
python3 - <<'PY'
import os, random
r = random.Random(1)
os.mkdir("t")
for i in range(60):
    with open(f"t/f{i:02}", "wb") as f:
        f.write(bytes(r.choices(b"abcdefgh", k=10000)))
PY
lsr --pack t --output=a.tar.zst --bundle-format=tar.zst --mtime=@1 --owner=0 2>/dev/null
python3 - <<'PY'
# RFC 8878, 3.1.1: frame header, blocks with three bytes in front of each, checksum.
data = bytearray(open("a.tar.zst", "rb").read())
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
    with open(name + ".tar.zst", "wb") as f:
        f.write(bad)
PY
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
	status lsr --check $bundle.tar.zst 2>/dev/null
done
# --cat gives nothing that is not verified.
lsr --cat sum.tar.zst/t/f01 >got
echo "=> $?"
lsr --cat sum.tar.zst/t/f01 sum.tar.zst/t/f59 >>got
echo "=> $?"
wc -c <got
