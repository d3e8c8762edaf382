# engines: sync
# A limit is set by name.  What it stops costs a line that names it, what is intact is shown, and the status says so.
unset LSR_IO
python3 - <<'PY'
import gzip, io, random, shutil, sqlite3, tarfile, zipfile

def pack(name, *members, mode="w", **more):
    with tarfile.open(name, mode, format=tarfile.PAX_FORMAT, **more) as tar:
        for path, data, *pax in members:
            m = tarfile.TarInfo(path)
            m.size = len(data)
            m.pax_headers = pax[0] if pax else {}
            tar.addfile(m, io.BytesIO(data))

def read(name):
    with open(name, "rb") as f:
        return f.read()

noise = random.Random(1).randbytes(100000)
pack("few.tar", ("a", b""), ("d/e/f", b""), ("longer", b""), ("z", b""))
pack("pax.tar", ("a", b""), ("b", b"", {"comment": "x" * 5000}), ("c", b""))
pack("inner.tar", ("in", b""))
pack("middle.tar", ("inner.tar", read("inner.tar")), ("text", b"text"))
pack("outer.tar", ("middle.tar", read("middle.tar")))
pack("large.tar.xz", ("a", b""), ("large", bytes(6000000)), ("z", b""), mode="w:xz")
with zipfile.ZipFile("noise.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("one", noise)
    z.writestr("two", noise)
pack("zip.tar.gz", ("a", b""), ("noise.zip", noise + read("noise.zip")), mode="w:gz")
data = read("few.tar")
for i in range(1, 6):
    data = gzip.compress(data, mtime=0)
    with open(f"gz{i}.tar", "wb") as f:
        f.write(data)
few = read("few.tar")
with open("damaged.tar", "wb") as f:
    f.write(few[:512] + bytes([1]) * 4096 + few[512:1024] + bytes([1]) * 512 + few[1024:])
pack("chain.tar", ("a", b""), ("b" * 120 + "/c", b"", {"comment": "x"}), ("d", b""))
with open("chain.tar", "rb") as f:
    data = f.read()
with open("chain.tar", "wb") as f:
    f.write(data[:512] + data[512:1536] * 3 + data[512:])
with zipfile.ZipFile("links.zip", "w") as z:
    for name in "one", "two":
        info = zipfile.ZipInfo(name)
        info.create_system = 3
        info.external_attr = 0o120777 << 16
        z.writestr(info, "target")
with sqlite3.connect("views.db") as db:
    db.execute("CREATE TABLE t(a)")
    db.execute("INSERT INTO t VALUES(1)")
    db.execute("CREATE VIEW endless AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r) SELECT n FROM r")
    db.execute("CREATE VIEW large AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r LIMIT 9000)"
               " SELECT n, hex(zeroblob(500)) AS v FROM r ORDER BY v, n")
db.close()
db = sqlite3.connect("live.db", isolation_level=None)
db.execute("PRAGMA journal_mode=DELETE")
db.execute("PRAGMA cache_size=1")
db.execute("CREATE TABLE t(a)")
db.executemany("INSERT INTO t VALUES(?)", [("x" * 500,)] * 100)
db.execute("BEGIN")
db.execute("UPDATE t SET a = 'y' || a")
for suffix in "", "-journal":
    shutil.copy("live.db" + suffix, "cut.db" + suffix)
db.close()
with open("holes", "wb") as f:
    for i in range(4):
        f.seek(i * 1000000)
        f.write(b"x" * 4096)
PY
"$HELPERS/tar-of" 'a-name-that-has-some-length-{}' 20000 >many.tar
tar -S -cf sparse.tar holes few.tar
show() { status lsr --no-cache "$@" >out 2>&1; sed 4q out; [ $(wc -l <out) -le 4 ] || tail -n 1 out; }
echo "-- rows"
lsr --no-cache --limit rows=1M --limit rows-per-byte=0 many.tar/ 2>&1 >out | sed 's/^/    /'
n=$(wc -l <out)
[ $n -gt 5000 ] && [ $n -lt 20000 ] && echo some
cat many.tar | lsr --limit=rows-pipe=1M - 2>&1 >out | sed 's/^/    /'
n=$(wc -l <out)
[ $n -gt 5000 ] && [ $n -lt 20000 ] && echo some
lsr --no-cache --limit rows=1M --limit rows-per-byte=0 many.tar/ >out 2>&1
echo "=> $?"
echo "-- members"
show --limit=members=2 few.tar
echo "-- name"
show --limit=name=5 few.tar
echo "-- path-depth"
show -R --limit=path-depth=2 few.tar
echo "-- troubles"
show --limit=troubles=1 damaged.tar
echo "-- filters"
show gz4.tar
show gz5.tar
show --limit=filters=5 gz5.tar
echo "-- decoded"
show --limit=decoded=64K --limit=decoded-per-byte=0 large.tar.xz
status lsr --limit=decoded=64K --limit=decoded-per-byte=0 --cat large.tar.xz/large | wc -c
echo "-- nesting"
show -R --bundles=always --limit=nesting=2 outer.tar
show --limit=nesting=2 outer.tar/middle.tar/inner.tar/in
show --limit=nesting=2 outer.tar/middle.tar/text/in
echo "-- spool"
show --limit=spool=64K zip.tar.gz/noise.zip
gzip -k noise.zip
show --limit=spool=64K noise.zip.gz
cat noise.zip | show --limit=spool=64K -
echo "-- look, looked"
show -R --bundles=always --limit=looked=64K --limit=looked-per-byte=0 noise.zip
show -R --bundles=always --limit=look=64K zip.tar.gz
show -R --bundles=always zip.tar.gz
echo "-- header, header-chain"
show --limit=header=4K pax.tar
show -R --limit=header-chain=3 chain.tar
echo "-- pieces"
show --limit=pieces=2 sparse.tar
status lsr --limit=pieces=2 --check sparse.tar 2>&1
echo "-- resync"
show --limit=resync=1K damaged.tar
echo "-- zip-links"
show -lgo --time-style=+ --limit=zip-links=1 links.zip
echo "-- sql-steps, sql-memory, sql-journal"
show --limit=sql-steps=5000 --limit=sql-steps-per-byte=0 views.db/endless
show --limit=sql-memory=1M views.db/large views.db/t
show --limit=sql-journal=1K cut.db/t
show cut.db
echo "-- window"
head -c 3000000 few.tar noise.zip | cat few.tar - | zstd -q --long=27 >long.tar.zst
show --limit=window=1M long.tar.zst
echo "-- deaths"
head -c 20000000 /dev/zero >large; echo one >f1; echo two >f2; tar -cf deaths.tar large f1 f2
cat >kill.py <<'PY'
import os, signal, subprocess, sys, time
child = subprocess.Popen(["lsr", "--cat", *sys.argv[1:], *(f"deaths.tar/{m}" for m in ("large", "f1", "f2"))], stdout=subprocess.PIPE)
os.read(child.stdout.fileno(), 65536)
time.sleep(0.3)
with open(f"/proc/{child.pid}/task/{child.pid}/children") as f:
    os.kill(int(f.read().split()[0]), signal.SIGKILL)
print(child.stdout.read().lstrip(b"\0").decode(), child.wait(), flush=True)
PY
python3 kill.py
python3 kill.py --limit=deaths=0
echo "-- what is no limit"
status lsr --limit=nonsense=1 .
status lsr --limit=time .
status lsr --limit=time=0 .
status lsr --limit=time=1m .
status lsr --limit=rows=99999999999G .
status lsr --limit=path-depth=5000 .
LSR_OPTIONS=--limit=members=2 status lsr few.tar
