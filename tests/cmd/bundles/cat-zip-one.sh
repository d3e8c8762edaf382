# One member of a zip is looked up without listing all of it: what comes must be what a listing gives.  Two operands
# take the listing, so each member is asked for once and twice.
PYTHONPATH=$HELPERS python3 - <<'PY'
import struct, zlib
from rawzip import Zip, extra, write

link = {"mode": 0o120777}
up = lambda raw, name: {"extra": extra(0x7075, b"\1" + struct.pack("<I", zlib.crc32(raw)) + name)}
write("plain.zip", (b"a/b/one", {"content": b"one"}), (b"a/b/two", {"content": b"two"}), (b"top", {"content": b"top"}))
write("twice.zip", (b"d/a", {"content": b"first"}), (b"x", {}), (b"d/a", {"content": b"second"}), (b"d/./a", {"content": b"third"}),
      (b"x/../d//a", {"content": b"fourth"}))
write("dots.zip", (b"./d/a", {"content": b"a"}), (b"../d/b", {"content": b"b"}), (b"/d/c", {"content": b"c"}), (b"d/e/../f", {"content": b"f"}),
      (b"d/nul\0rest", {"content": b"nul"}), (b"d/.hidden", {"content": b"hidden"}))
write("file-and-dir.zip", (b"p", {"content": b"file"}), (b"p/x", {"content": b"x"}), (b"p/y/z", {"content": b"z"}), (b"q/x", {}),
      (b"q", {"content": b"late"}), (b"r/", {"mode": 0o40755}), (b"r", {"content": b"empty directory before"}),
      (b"s", {"content": b"file before"}), (b"s/", {"mode": 0o40755}))
write("fat.zip", (b"d\\a", {"host": 0, "mode": 0, "content": b"fat"}), (b"u\\a", {"content": b"unix"}), (b"u/a", {"content": b"other"}))
name = "\u00fc".encode()
write("names.zip", (b"d/\x81", {"host": 0, "content": b"437"}), (name, {"content": b"utf8"}), (b"raw", {"content": b"no", **up(b"raw", b"d/real")}),
      (b"d/raw2", {"content": b"raw2", **up(b"other", b"d/no")}), (b"d/raw3", {"content": b"raw3", "flags": 0x800, **up(b"d/raw3", b"d/no")}),
      (b"D/RAW2", {"content": b"upper"}))
write("links.zip", (b"d/f", {"content": b"f"}), (b"to", {"content": b"d", **link}), (b"d/file", {"content": b"f", **link}),
      (b"e/up", {"content": b"../to/file", **link}), (b"out", {"content": b"/etc", **link}), (b"above", {"content": b"../x", **link}),
      (b"loop", {"content": b"loop", **link}), (b"broken", {"content": b"no", **link}))
inner = Zip(); inner.add(b"g/h", b"h"); inner.add(b"leave", b"../../top", mode=0o120777); inner = inner.end()
write("nested.zip", (b"n/in.zip", {"content": inner}), (b"n/after", {}), (b"a", {}), (b"top", {"content": b"top"}), (b"n/top", {"content": b"n/top"}))
z = Zip(); at = z.add(b"one", b"same"); z.add(b"three", b"3"); z.add(b"two", b"same", at=at); open("shared.zip", "wb").write(z.end())
write("counted.zip", (b"a", {}), (b"b", {}), n=7)
write("lacks.zip", (b"lacks", {"size": 0xFFFFFFFF, "extra": extra(1, b"")}), (b"a", {"content": b"a"}))
z = Zip(); z.add(b"a"); z.add(b"b"); data = bytearray(z.end()); data[data.rfind(b"PK\1\2") + 1] = 0
open("damaged.zip", "wb").write(data)
z = Zip(); z.add(b"a"); z.add(b"b"); open("cut.zip", "wb").write(z.end()[:-30])
z = Zip(); z.add(b"/".join([b"d"] * 5000)); z.add(b"d/fine"); open("deep.zip", "wb").write(z.end())
PY
n=0
same() {
        lsr --cat "$1" >one 2>one.err; rc=$?
        lsr --cat "$1" "$1" >two 2>two.err; rc2=$?
        sort -u one.err >one.said; sort -u two.err >two.said
        n=$((n + 1))
        [ $rc = $rc2 ] && cat one one | cmp -s - two && cmp -s one.said two.said || echo "$1: $rc, not $rc2: $(cat one.err)"
}
each() {
        local z=$1 p
        shift
        for p in no "$@"; do same "$z.zip/$p"; done
}
each plain a a/b a/b/one a/b/one/x ./a/b//one/ a/../top a/b/../b/two top/no /a ''
each twice d/a x d
each dots d/a d/b d/c d/e d/f d/nul d/.hidden
each file-and-dir p p/x p/y p/y/z p/no q q/x r s
each fat 'd\a' d/a u/a 'u\a'
each names d/ü ü raw d/real d/no d/raw2 d/raw3 D/RAW2
each links to to/f to/no d/file e/up out above loop loop/x broken
each nested n n/in.zip n/in.zip/g/h n/in.zip/no n/in.zip/leave n/in.zip/../top n/in.zip/g/../../after
each shared one two three
each counted a
each lacks lacks a
each damaged a b
each cut a b
each deep d/fine d/d/d
echo "$n looked up"
lsr --cat plain.zip/a/b/two twice.zip/d/a; echo
for one in twice.zip/d/a dots.zip/d/b names.zip/d/real fat.zip/d/a links.zip/e/up nested.zip/n/in.zip/g/h nested.zip/n/in.zip/leave shared.zip/three; do
        lsr --cat $one; echo " => $?"
done
status lsr --cat file-and-dir.zip/p file-and-dir.zip/q
