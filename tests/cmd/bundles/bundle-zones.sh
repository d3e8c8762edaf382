# Times without a zone show as they are wherever the reader is; all others are moments.  2020-07-02 03:04:06 in DOS.
python3 - <<'PY'
import struct, zipfile, zlib

DOS = (40 << 25 | 7 << 21 | 2 << 16 | 3 << 11 | 4 << 5 | 3)

def lha(level, unix):
    path, text = b"f", b"x"
    # CRC-16 of "x"
    crc = 0
    for byte in text:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    tail = b"U\0" + struct.pack("<IHHH", 1593651846, 0o100644, 0, 0) if unix else b""
    body = b"-lh0-" + struct.pack("<IIIBBB", 1, 1, DOS, 0x20, level, len(path)) + path + struct.pack("<H", crc) + tail
    return bytes([len(body), sum(body) & 255]) + body + text + b"\0"

def block(kind, flags, body):
    head = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
    return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head

rar = b"Rar!\x1a\x07\x00" + block(0x73, 0, bytes(6))
rar += block(0x74, 0x8000, struct.pack("<IIBIIBBHI", 1, 1, 3, zlib.crc32(b"x"), DOS, 20, 0x30, 1, 0o100644) + b"f") + b"x"
rar += block(0x7B, 0x4000, b"")
cab = b"MSCF" + struct.pack("<IIIIIHHHI", 0, 71, 0, 44, 0, 0x103, 1, 1, 0) + bytes(2)
cab += struct.pack("<IHH", 62, 1, 0) + struct.pack("<IIHHHH", 1, 0, 0, DOS >> 16, DOS & 0xFFFF, 0x20) + b"f\0"
cab += struct.pack("<IHH", 0, 1, 1) + b"x"
for name, data in (("dos.lha", lha(0, False)), ("unix.lha", lha(0, True)), ("dos.rar", rar), ("dos.cab", cab)):
    open(name, "wb").write(data)
zipfile.ZipFile("dos.zip", "w").writestr(zipfile.ZipInfo("f", (2020, 7, 2, 3, 4, 6)), "x")
PY
echo x >f; touch -d '2020-07-02 01:04:06' f
tar -cf moment.tar f; zip -q moment.zip f; 7z a -bd -bso0 moment.7z f; sqlite3 -A -cf moment.sqlar f; echo f | cpio --quiet -oH newc >moment.cpio
for zone in UTC Europe/Zurich America/New_York; do
        echo "$zone"
        for b in dos.* unix.* moment.*; do
                echo "$b $(TZ=$zone lsr -go --time-style=+%FT%T%z $b | sed 1d)"
        done
done
