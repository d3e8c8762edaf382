# The block before a damaged header of a block is read, in any frame.
python3 - <<'PY'
import io, struct, tarfile

tar = io.BytesIO()
with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as t:
    for name in "ab":
        m = tarfile.TarInfo(name)
        m.size = 3000
        t.addfile(m, io.BytesIO(name.encode() * 3000))
tar = tar.getvalue()
raw = lambda data: (len(data) << 3).to_bytes(3, "little") + data
half = 512 + 3072
with open("x.tar.zst", "wb") as f:
    # There is no block of type 3.
    f.write(struct.pack("<IBB", 0xFD2FB528, 0, 0x50) + raw(tar[:half]) + b"\6\0\0" + raw(tar[half:]))
PY
lsr --cat x.tar.zst/a 2>err | wc -c
status lsr --unpack x.tar.zst --output=out 2>err
ls out
wc -c <out/a
