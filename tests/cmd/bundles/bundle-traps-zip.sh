# What zips do to their readers.
PYTHONPATH=$HELPERS python3 - <<'PY'
import struct, zlib
from rawzip import Zip, extra, write

fake = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0, 0, 0, 0, 0)
write("comment.zip", (b"real", {}), comment=b"hello " + fake + b" world")
write("long-comment.zip", (b"real", {}), comment=b"x" * 65535)
z = Zip(b"#!/bin/sh\nexit\n" * 3000); z.add(b"behind", b"x"); open("prefix.zip", "wb").write(z.end())
z = Zip(b"#!/bin/sh\nexit\n"); z.base = 15; z.add(b"relative", b"x"); open("relative.zip", "wb").write(z.end())
z = Zip(b"#!/bin/sh\nexit\n"); z.add(b"amid", b"x"); open("amid.zip", "wb").write(z.end() + b"signature")
write("split.zip", (b"part", {}), disk=1)
data = open("split.zip", "rb").read(); directory = data[data.find(b"PK\1\2"):-22]
open("split-shifted.zip", "wb").write(data.replace(directory, b"inserted" + directory))
with open("last-part.zip", "wb") as f:
    f.write(b"rest of a member" + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 1, 1, 1, 1, len(directory), 16, 0))
z = Zip(); at = z.add(b"one", b"same"); z.add(b"two", b"same", at=at); open("shared.zip", "wb").write(z.end())
write("two-names.zip", (b"central", {"local": b"in-front"}))
huge = extra(1, struct.pack("<Q", 5 << 32))
write("zip64.zip", (b"size", {"extra": huge, "size": 0xFFFFFFFF}), (b"limit", {"size": 0xFFFFFFFF}),
      (b"lacks", {"size": 0xFFFFFFFF, "extra": extra(1, b"")}))
name = "\u00fc".encode()
good = extra(0x7075, b"\1" + struct.pack("<I", zlib.crc32(b"raw")) + b"unicode")
bad = extra(0x7075, b"\1" + struct.pack("<I", 1) + b"unicode")
write("names.zip", (name + b"-flag", {"flags": 0x800}), (name + b"-none", {}), (b"\x81-cp437", {"host": 0}),
      (b"raw", {"extra": good}), (b"raw2", {"extra": bad}))
dos = {"dos": 40 << 25 | 1 << 21 | 1 << 16}
ut, nt = extra(0x5455, b"\1" + struct.pack("<i", -86400)), 116444736000000000 + 10**7 * 1000000000 + 7
ntfs = extra(0x000A, struct.pack("<IHHQQQ", 0, 1, 24, nt, nt, nt))
ux = extra(0x5855, struct.pack("<ii", 5, 6))
write("times.zip", (b"0-ut", {"extra": ntfs + ut}), (b"1-ntfs", {"extra": ux + ntfs}), (b"2-ux", {"extra": ux}),
      (b"3-dos", dos), (b"4-month-0", {"dos": 0}), (b"5-never", {"dos": 0xFFFFFFFF}))
write("twice.zip", (b"a", {"content": b"first"}), (b"b", {}), (b"a", {"content": b"second one"}))
write("paths.zip", (b"../up", {}), (b"/abs", {}), (b"x/../../y", {}), (b"a//b", {}), (b"./c/", {}), (b"nul\0rest", {}),
      (b"esc\x1b[31m", {}), ("bidi\u202egpj".encode(), {}), (b"new\nline", {}), (b"..", {}), (b"", {}), (b"/", {}))
write("types.zip", (b"slash/", {"mode": 0}), (b"mode", {"mode": 0o40755}), (b"attribute", {"mode": 0, "attributes": 16, "host": 0}),
      (b"fat\\file", {"mode": 0, "host": 0}), (b"unix\\file", {}), (b"none", {"mode": 0}),
      (b"link", {"mode": 0o120777, "content": b"none"}), (b"long-link", {"mode": 0o120777, "content": b"x" * 5000}),
      (b"device", {"mode": 0o60600}))
write("unread.zip", (b"encrypted", {"flags": 1, "content": b"x" * 20}), (b"method", {"method": 97, "content": b"x"}),
      (b"size", {"size": 0xFFFFFFFE, "content": b"x", "method": 8}))
write("counted.zip", (b"a", {}), (b"b", {}), n=7)
z = Zip(); z.add(b"a"); z.add(b"b"); data = bytearray(z.end()); data[data.rfind(b"PK\1\2") + 1] = 0
open("damaged.zip", "wb").write(data)
write("nameless.zip", (b"\0/file", {"local": b"d/file", "content": b"file"}), (b"", {"local": b"empty"}),
      (b"\0ir/", {"local": b"dir/", "mode": 0o40700}), (b"\0ink", {"local": b"link", "mode": 0o120777, "content": b"d/file"}),
      (b"../..", {}), (b"./", {"mode": 0o40755}), (b"/", {"local": b"g", "content": b"data"}), (b"last", {}))
z = Zip(); z.add(b"a", b"alpha"); z.add(b"b"); whole = z.end(); directory = whole.find(b"PK\1\2")
for name, at, value in ("flag", 8, b"\1"), ("packed", 20, b"\1"), ("packed-ones", 20, b"\xff" * 4), ("size", 24, b"\1"), ("size-more", 25, b"\1"):
    data = bytearray(whole); data[directory + at:directory + at + len(value)] = value; open(f"header-{name}.zip", "wb").write(data)
z = Zip(); z.add(b"x" * 65535); open("long-name.zip", "wb").write(z.end())
z = Zip(); z.add(b"/".join([b"d"] * 5000)); z.add(b"fine"); open("deep.zip", "wb").write(z.end())
PY
for z in comment long-comment prefix relative amid split split-shifted last-part shared two-names counted damaged deep; do
        echo "$z: $(lsr $z.zip 2>said; echo "=> $?")"; sed 's/^/    /' said
done
lsr long-name.zip | wc -c
status lsr -go --time-style=+ zip64.zip
status lsr --quoting-style=escape names.zip
status lsr -go --time-style=+%FT%T.%N times.zip
status lsr -go --time-style=+ twice.zip
status lsr -R -b paths.zip
lsr --json -R paths.zip | grep -o '"path":.*"name"\|"raw_name".*' | sed 's/,"name"//; s/}$//'
status lsr -lgo --time-style=+ types.zip | cut -c 1-60
status lsr --json unread.zip | grep -oE '"(name|method|encrypted|size)":[^,}]*'
status lsr unread.zip/encrypted/ 
status lsr split.zip/part
status lsr -go --time-style=+ nameless.zip
status lsr --cat nameless.zip/d/file
status lsr --check nameless.zip
for z in header-*.zip; do
        status lsr --unpack --output=out $z
        echo "$z: $(cat out/a)"; rm -r out
        status lsr --check $z
done

# A wrong size in the directory costs no member whose checksum is right.
python3 - <<'PY'
import struct, zipfile

with zipfile.ZipFile("sizes.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("one", b"hello world " * 500)
    z.writestr("two", b"behind")
whole = open("sizes.zip", "rb").read()
at = whole.find(b"PK\1\2") + 24
for size in 0, 1, 5999, 6001, 1 << 30:
    open(f"size-{size}.zip", "wb").write(whole[:at] + struct.pack("<I", size) + whole[at + 4:])
PY
for z in size-*.zip; do
        status lsr --unpack --output=out $z
        (cd out && sha1sum *); rm -r out
done
