# Zips without a sound directory take time in proportion to their size, however many signatures and entries lead nowhere.
python3 - <<'PY'
import struct

def local(name, flags=0, extra=b""):
    return b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, flags, 0, 0, 33, 0, 0, 0, len(name), len(extra)) + name + extra

def central(name, offset):
    fields = 0x314, 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0, 0, 0, 0, 0o100644 << 16, offset
    return b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", *fields) + name

headers = b"".join(local(b"x", extra=bytes(1000)) for i in range(70))
entries = b"".join(central(b"b%06d" % i, 0xFFFFFFF0) for i in range(100000)) + b"?"
with open("entries.zip", "wb") as f:
    f.write(headers + entries + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 34464, 34464, len(entries), len(headers), 0))
for name, signature in ("descriptors.zip", b"PK\7\10"), ("headers.zip", b"PK\3\4"):
    with open(name, "wb") as f:
        f.write(local(b"a", flags=8) + signature * (16 << 20))
PY
for z in entries descriptors headers; do
        status lsr --no-cache --limit=time=4 --limit=bytes-per-second=1G $z.zip
done
