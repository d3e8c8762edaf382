# A member that is not verified does not replace what is there; and the last frame, of zeros, is as damaged as others.
mkdir t
echo one >t/a; ln t/a t/b; echo two >t/c; : >t/e
lsr --pack t --output=a.tar.zst --mtime=@1 --owner=0 2>/dev/null
python3 - <<'PY'
data = open("a.tar.zst", "rb").read()
n = int.from_bytes(data[-9:-5], "little")
at = len(data) - 9 - 12 * n
frames = [int.from_bytes(data[at + 12 * i : at + 12 * i + 4], "little") for i in range(n)]
for name, end in (("first", frames[0]), ("last", sum(frames[:-2]))):
    bad = bytearray(data)
    bad[end - 1] ^= 1
    open(name + ".tar.zst", "wb").write(bad)
PY
mkdir -p out/t
for f in a c e; do echo old >out/t/$f; done
status lsr --unpack first.tar.zst --output=out --force 2>&1
head out/t/*
ls -A out/t
echo == hard link
rm -r out; mkdir -p out/t; echo old >out/t/b
status lsr --unpack first.tar.zst --output=out --force 2>&1
head out/t/*
echo == last
status lsr --unpack last.tar.zst --output=last 2>&1
diff -r t last/t
