# An lha says in which code page its names are, or has them in UTF-16 as well; else --encoding says it.
export LC_ALL=C.UTF-8
python3 - <<'PY'
import struct
def crc16(data):
    c = 0
    for b in data:
        c ^= b
        for _ in range(8):
            c = c >> 1 ^ (0xA001 if c & 1 else 0)
    return c
def member(data, *extensions):
    # Level 2: size of the header, method, sizes, time, attribute, level, checksum, system; each extension ends in the size of the next.
    body = b""
    # The first one is a checksum of the header, counted with zeros in its place.
    for kind, value in ((0, b"\0\0"), *extensions):
        body += struct.pack("<H", len(value) + 3) + bytes([kind]) + value
    body += struct.pack("<H", 0)
    head = struct.pack("<5sIII", b"-lh0-", len(data), len(data), 1577934245) + b"\x20\x02" + struct.pack("<H", crc16(data)) + b"M"
    size = 2 + len(head) + len(body)
    pad = b"\0" if size & 0xFF == 0 else b""
    header = bytearray(struct.pack("<H", size + len(pad)) + head + body + pad)
    header[27:29] = struct.pack("<H", crc16(header))
    return bytes(header) + data
page = lambda n: (0x46, struct.pack("<I", n))
open("pages.lzh", "wb").write(
    member(b"1", page(932), (1, "漢字.txt".encode("cp932")), (2, "表\xff".replace("\xff", "").encode("cp932") + b"\xff")) +
    member(b"22", page(866), (1, "файл".encode("cp866"))) + member(b"333", page(1252), (1, "Zoë".encode("cp1252"))) +
    member(b"4444", (1, b"____.txt"), (0x44, "äöü テスト.txt".encode("utf-16le"))) + b"\0")
open("silent.lzh", "wb").write(member(b"1", (1, "漢字.txt".encode("cp932"))) + b"\0")
open("unknown.lzh", "wb").write(member(b"1", page(12345), (1, "漢字.txt".encode("cp932"))) + b"\0")
PY
status lsr -R pages.lzh
lsr --cat pages.lzh/表/漢字.txt pages.lzh/файл pages.lzh/Zoë "pages.lzh/äöü テスト.txt"; echo
lsr --check pages.lzh; lsr --unpack --output=out pages.lzh; (cd out; find . -type f | LC_ALL=C sort)
status lsr --encoding=cp932 silent.lzh; lsr --encoding=cp932 --cat silent.lzh/漢字.txt; echo
status lsr unknown.lzh
# The C locale is that of scripts.
LC_ALL=C lsr pages.lzh | od -An -tx1
