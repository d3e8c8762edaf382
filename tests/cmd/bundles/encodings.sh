# Names that are not UTF-8 are shown, found and unpacked as --encoding says; as stored they stay what is read by.
export LC_ALL=C.UTF-8
python3 - <<'PY'
import io, tarfile, zipfile
def tar(path, members):
    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT, encoding="latin-1") as t:
        for raw, kind, link in members:
            i = tarfile.TarInfo(raw.decode("latin-1")); i.type = kind; i.mtime = 1577934245
            i.linkname = link.decode("latin-1"); i.size = 3 * (kind == tarfile.REGTYPE)
            t.addfile(i, io.BytesIO(b"abc"))
for enc, name in ("cp866", "папка/файл.txt"), ("cp932", "表示/ソート.txt"), ("koi8-r", "да/привет.txt"), ("gbk", "中文/文件.txt"), ("cp437", "Zoë/naïve.txt"):
    raw = name.encode(enc)
    tar(enc + ".tar", [(raw, tarfile.REGTYPE, b""), (raw + b"-hard", tarfile.LNKTYPE, raw), (b"link", tarfile.SYMTYPE, raw), ("ключ".encode(), tarfile.REGTYPE, b"")])
    class Info(zipfile.ZipInfo):
        def _encodeFilenameFlags(self): return raw, 0
    with zipfile.ZipFile(enc + ".zip", "w") as z:
        i = Info("x"); i.filename = name; i.create_system = 0; i.date_time = (2020, 1, 2, 3, 4, 6); z.writestr(i, b"abc")
PY
for e in cp866 cp932 koi8-r gbk cp437; do
        status lsr -R --encoding=$e $e.tar/ $e.zip/
        for i in tar zip; do
                lsr --encoding=$e --unpack --output=out-$i-$e $e.$i; (cd out-$i-$e; find . ! -type d -printf '%p %l\n' | LC_ALL=C sort)
        done
done
lsr --encoding=Shift_JIS --cat cp932.zip/表示/ソート.txt cp932.tar/表示/ソート.txt cp932.tar/link cp932.tar/表示/ソート.txt-hard cp932.tar/ключ; echo
lsr --encoding=866 --check cp866.tar/ cp866.zip/
lsr --encoding=CP866 --json cp866.zip/папка | grep -o '"name":[^,]*\|"raw_name.*'
echo "= nobody has said"
lsr cp437.zip cp866.zip; lsr cp866.tar | od -An -c
echo "= what is remembered has other names"
gzip -k cp866.tar; XDG_CACHE_HOME=$PWD/cache lsr --encoding=cp866 cp866.tar.gz; XDG_CACHE_HOME=$PWD/cache lsr --encoding=koi8-r cp866.tar.gz; ls cache 2>/dev/null
lsr --encoding=cp866 --cat cp866.tar.gz/папка/файл.txt; echo
status lsr --encoding=nope cp866.zip 2>&1 | sed 's/CP775.*BIG5/.../'; status lsr --encoding= cp866.zip 2>&1 | sed 's/CP775.*BIG5/.../'
lsr --encoding=cp866 --pack cp866.tar --output=x.zip 2>said; unzip -l x.zip | grep -c папка; lsr --diff --encoding=cp866 cp866.tar x.zip --json | tail -1 | head -c 300
echo "= every character of every one, as Python has it"
lsr --encoding=none cp866.zip 2>&1 | grep -o 'are .*' | cut -c5- >list
cat >all.py <<'PY'
import io, json, subprocess, sys, tarfile
bad = 0
for enc in open("list").read().split():
    codec = enc.lower().replace("mac-", "mac_")
    want = []
    for a in range(0x80, 0x100):
        for raw in [bytes([a])] + [bytes([a, b]) for b in range(0x30, 0x100)] * (codec in ("cp932", "euc-jp", "gbk", "cp949", "big5")):
            try: text = raw.decode(codec)
            except UnicodeDecodeError: continue
            if len(text) == 1 and ord(text) < 0x10000: want.append((raw, text))
    with tarfile.open("all.tar", "w", format=tarfile.USTAR_FORMAT, encoding="latin-1") as t:
        for n, (raw, text) in enumerate(want):
            t.addfile(tarfile.TarInfo(b"".join([b"\xff" * 0, b"%05d-" % n, raw, b"."]).decode("latin-1")))
    out = subprocess.run([sys.argv[1], "--no-cache", "--json", "--encoding=" + enc, "all.tar/"], capture_output=True).stdout
    got = [json.loads(l)["name"] for l in out.splitlines()]
    mine = ["%05d-%s." % (n, text) for n, (raw, text) in enumerate(want)]
    for g, w, (raw, _) in zip(got, mine, want):
        # Two bytes that are UTF-8 by themselves are that.
        try: raw.decode(); continue
        except UnicodeDecodeError: pass
        bad += g != w
    bad += len(got) != len(mine)
print("differences:", bad)
PY
python3 all.py "$(command -v lsr)"
