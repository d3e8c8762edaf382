# What tars do to their readers.
python3 - <<'PY'
import struct

def header(name, size=0, kind=b"0", mode=b"0000644\0", mtime=b"00000000000\0", magic=b"ustar\0" + b"00", link=b"", tail=b"",
           sizes=None, uid=b"0001750\0", signed=False):
    h = bytearray(512)
    h[0:len(name)] = name; h[100:108] = mode; h[108:116] = uid; h[116:124] = b"0000144\0"
    h[124:136] = sizes or b"%011o\0" % size; h[136:148] = mtime; h[156:157] = kind; h[157:157 + len(link)] = link
    h[257:265] = magic; h[345:345 + len(tail)] = tail; h[148:156] = b" " * 8
    total = sum(b - 256 if signed and b > 127 else b for b in h)
    h[148:156] = b"%06o\0 " % (total & 0o777777)
    return bytes(h)

def body(data):
    return data + bytes(-len(data) % 512)

def pax(kind, **records):
    text = b""
    for key, value in records.items():
        value = value if isinstance(value, bytes) else value.encode()
        line = b" " + key.replace("__", ".").encode() + b"=" + value + b"\n"
        n = len(line) + 1
        while n != len(line) + len(str(n)):
            n = len(line) + len(str(n))
        text += str(n).encode() + line
    return header(b"pax", len(text), kind) + body(text)

END, GNU = bytes(1024), b"ustar  \0"
def write(name, *parts):
    with open(name + ".tar", "wb") as f:
        f.write(b"".join(parts))

write("v7", header(b"file", 1, b"\0", magic=bytes(8)), body(b"x"), header(b"dir/", kind=b"\0", magic=bytes(8)), END)
write("prefix", header(b"name", tail=b"pre/fix"), END)
write("no-prefix", header(b"gnu", magic=GNU, tail=b"13637423400\0" + b"13637423500\0"), END)
write("sums", header(b"high\xff\xfe", signed=True), header(b"high\xff\xfd"), END)
write("numbers", header(b"before-1970", mtime=b"\xff" * 10 + struct.pack(">h", -1000)),
      header(b"binary-size", sizes=b"\x80" + (3).to_bytes(11, "big")), body(b"abc"),
      header(b"padded", mtime=b"    1000000 "), header(b"binary-id", uid=b"\x80" + (1 << 31).to_bytes(7, "big")), END)
write("long", header(b"././@LongLink", 201, b"L", magic=GNU), body(b"l" * 200 + b"\0"),
      header(b"././@LongLink", 151, b"K", magic=GNU), body(b"t" * 150 + b"\0"), pax(b"x", mtime="-1.5"), header(b"short", kind=b"2"), END)
write("global", pax(b"g", mtime="1000000000.25", uname="global"), header(b"one"), pax(b"x", uname="own"), header(b"two"),
      pax(b"g", mtime=""), header(b"three"), END)
write("newline", pax(b"x", path="a\nb=c", comment="x\ny"), header(b"fake"), END)
write("hard", header(b"file", 3), body(b"abc"), header(b"bodiless", 3, b"1", link=b"file"), header(b"body", 3, b"1", link=b"file"),
      body(b"abc"), header(b"dangling", 0, b"1", link=b"nothing"), header(b"early", 0, b"1", link=b"late"), header(b"late", 1), body(b"x"), END)
write("kinds", header(b"c", 9, b"3"), header(b"fifo", 9, b"6"), header(b"d/", 0, b"0"), header(b"contiguous", 1, b"7"), body(b"x"),
      header(b"unknown", 1, b"Z"), body(b"x"), END)
write("ends", header(b"seen"), bytes(512), header(b"behind"), END)
write("nameless", header(b"before"), header(b""), header(b"x/.."), header(b"./"), header(b"/", 4), body(b"data"), header(b"behind"), END)
# The header of a member is one of pax now, and its content no record: the path in front of it is not that of the next.
write("renamed", pax(b"x", path="first"), header(b"short", 5, b"x"), body(b"bytes"), header(b"behind"), END)
write("joined", header(b"seen"), END, header(b"behind"), END)
write("cleaned", header(b"./", kind=b"5", mode=b"0000700\0"), header(b"./a"), header(b"/abs"), header(b"../up"), header(b"a"), header(b"x//y/./z"),
      header(b"x/y", kind=b"5"), END)
write("damaged", header(b"one", 3), body(b"abc"), b"\1" * 512, header(b"two"), END)
write("beyond", header(b"huge", 1 << 32), body(b"x"))
write("largest", header(b"largest", sizes=b"\x80\0\0\0\x7f" + b"\xff" * 7), END)
write("sizes", pax(b"x", size="18446744073709551615"), header(b"pax"), END)
write("chain", *[pax(b"x", comment="x") for _ in range(40)], header(b"end"), END)
write("extension", header(b"x", (1 << 20) + 1, b"x"), bytes((1 << 20) + 512), header(b"next"), END)
write("acl", pax(b"x", SCHILY__acl__access="user::rw-,user:5:r--,group::r--,mask::r--,other::---"), header(b"acl"),
      pax(b"x", SCHILY__xattr__user__x="1"), header(b"xattr"), END)
write("label", header(b"a label", kind=b"V", magic=GNU), END)
write("only-global", pax(b"g", comment="5e8c1c2"), END)
write("no-member", pax(b"x", path="x"), END)
write("real-size", pax(b"x", size="10737418244", GNU__sparse__major="1", GNU__sparse__minor="0", GNU__sparse__name="sparse",
      GNU__sparse__realsize="10737418244"), header(b"GNUSparseFile/sparse", 516), body(b"1\n10737418240\n4\n"), body(b"foo\n"), header(b"next"), END)
for minor, data in ((0, b""), (1, b"2\n0\n3\n9000\n2\n")):
    keys = {"GNU__sparse__major": "1", "GNU__sparse__minor": "0", "GNU__sparse__name": "sparse", "GNU__sparse__realsize": "9002"}
    if minor == 0:
        keys = {"GNU__sparse__map": "0,3,9000,2", "GNU__sparse__size": "9002", "GNU__sparse__name": "sparse"}
    data = (body(data) if data else b"") + b"abcde"
    write(f"sparse{minor}", pax(b"x", **keys), header(b"GNUSparseFile.1/sparse", len(data)), body(data), header(b"next"), END)
PY
for t in v7 prefix no-prefix sums numbers long global newline hard kinds ends nameless renamed joined damaged beyond largest sizes chain extension acl label only-global no-member real-size sparse0 sparse1; do
        echo "$t:"; lsr -lnAb --acl --time-style=+%FT%T.%N $t.tar >out 2>said; status=$?
        sed -E '/^total/d; s/^/    /; s/l{200}/LONG/; s/t{150}/TARGET/' out; sed 's/^/    /' said; [ $status = 0 ] || echo "    => $status"
done
status lsr -lR --time-style=+ -n cleaned.tar
lsr -ld --time-style=+ -n cleaned.tar/
lsr --json -R cleaned.tar | grep -o '"raw_name":[^}]*'
lsr --json hard.tar | grep -o '"name".*"nlink":[0-9]*\|"error".*' | sed 's/"type.*"nlink/"nlink/'
