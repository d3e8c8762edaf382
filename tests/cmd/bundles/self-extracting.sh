# An archive behind a program: what the program's header says of its length leads to it.
python3 - <<'PY'
import struct, zlib

def block(kind, flags, body):
    head = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
    return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head

# Stored, 2020-07-02 03:04:06.
DOS = (40 << 25 | 7 << 21 | 2 << 16 | 3 << 11 | 4 << 5 | 3)
rar = b"Rar!\x1a\x07\x00" + block(0x73, 0, bytes(6))
rar += block(0x74, 0x8000, struct.pack("<IIBIIBBHI", 5, 5, 3, zlib.crc32(b"text\n"), DOS, 20, 0x30, 4, 0o100644) + b"name")
rar += b"text\n" + block(0x7B, 0x4000, b"")

# A PE of one section, which ends behind the first 64 KiB and before the last.
pe = bytearray(400000)
pe[:2] = b"MZ"; pe[0x3C:0x40] = struct.pack("<I", 0x80); pe[0x80:0x84] = b"PE\0\0"
pe[0x86:0x88] = struct.pack("<H", 1); pe[0x94:0x96] = struct.pack("<H", 0)
pe[0x98 + 16:0x98 + 24] = struct.pack("<II", len(pe) - 1024, 1024)
open("rar.exe", "wb").write(bytes(pe) + rar)
open("program.exe", "wb").write(bytes(pe))
open("padded.exe", "wb").write(bytes(pe) + b" " + rar)
open("cut.exe", "wb").write(bytes(pe[:200000]))
PY
lsr -l --time-style=long-iso rar.exe
lsr --cat rar.exe/name
lsr --check rar.exe
cat rar.exe | lsr -1 -
mkdir d; echo hello >d/f; echo more >d/g
7z a -bd -bso0 -sfx7zCon.sfx seven.run d; lsr -1R seven.run; lsr --cat seven.run/d/f seven.run/d/g
tar -cf outer.tar rar.exe seven.run; lsr -1R outer.tar/rar.exe outer.tar/seven.run/d
# Programs, and one whose archive is not where the program ends, are files.
for f in program.exe padded.exe cut.exe; do lsr -1 $f; done
# A zip is found by its end, whatever is stored in it first.
zip -q0 stored.zip rar.exe; cat program.exe stored.zip >zip.exe; zip -qA zip.exe; lsr -1 zip.exe
