# A 7z whose block is made by a coder that libarchive does not know: that is said, and none of its members is called damaged.
python3 - <<'PY'
import struct, zlib
header = bytes.fromhex("01040600010908000" "70b010001017f0c0800" "080d0209040000" "0502110900610000006200000000" "00")
start = struct.pack("<QQI", 8, len(header), zlib.crc32(header))
with open("x.7z", "wb") as f:
    f.write(b"7z\xbc\xaf\x27\x1c\0\3" + struct.pack("<I", zlib.crc32(start)) + start + b"aaaabbbb" + header)
PY
status lsr x.7z
status lsr --check x.7z
status lsr --unpack x.7z --output=o
