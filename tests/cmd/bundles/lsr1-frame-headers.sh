# Where many headers in a frame are damaged, each is told of once: none behind the one that is wanted is looked for.
python3 - <<'PY'
import os, random
r = random.Random(1)
os.mkdir("t")
for i in range(800):
    with open(f"t/f{i:03}", "wb") as f:
        f.write(bytes(r.choices(b"abcdefgh", k=100)))
PY
lsr --pack t --output=a.tar.zst --owner=0 2>/dev/null
python3 - <<'PY'
data = open("a.tar.zst", "rb").read()
n = int.from_bytes(data[-9:-5], "little")
at = len(data) - 9 - 12 * n
size = int.from_bytes(data[at : at + 4], "little")
for i in range(12):
    bad = bytearray(data)
    bad[size * (i + 1) // 14] ^= 0x40
    open(f"bad{i}.tar.zst", "wb").write(bad)
PY
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
	lsr --unpack --output=out$i "bad$i.tar.zst" 2>&1 | grep -o 'header at byte [0-9,]* is damaged' | sort | uniq -d | head -1
done
