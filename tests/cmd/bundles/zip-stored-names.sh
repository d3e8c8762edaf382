# Of a name that was converted the bytes that the zip stores are always to be had.
PYTHONPATH=$HELPERS python3 - <<'PY'
import struct, zlib
from rawzip import extra, write
sjis = "日本語/テスト.txt".encode("shift_jis")
raw = b"r\x82w"
good = extra(0x7075, b"\1" + struct.pack("<I", zlib.crc32(raw)) + "r\u00e9w".encode())
write("names.zip", (sjis, {"host": 0, "content": b"sjis"}), (b"back\\slash", {"host": 0, "content": b"dos"}),
      (b"\x81-cp437", {"host": 0, "content": b"437"}), (raw, {"extra": good, "content": b"unicode"}),
      (b"plain", {"host": 0, "content": b"plain"}), ("\u00fc".encode(), {"host": 0, "content": b"utf8"}),
      (b"../\x81up", {"host": 0, "content": b"up"}))
PY
lsr -R --json names.zip >rows
python3 - <<'PY'
import base64, json
for line in open("rows"):
    row = json.loads(line)
    if row.get("type") != "file":
        continue
    raw = row.get("raw_name")
    if "raw_name_b64" in row:
        raw = base64.b64decode(row["raw_name_b64"])
    print(row["path"], raw)
    if row["size"] == 4 and row["packed"] == 4 and "raw_name_b64" in row:
        print(raw.decode("shift_jis"))
PY
# The names in front of the content are compared with these.
status lsr --check names.zip
status lsr --cat names.zip/back/slash names.zip/plain
