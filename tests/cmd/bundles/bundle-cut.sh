# engines: sync
# static:
# Cut off anywhere: what is intact is listed, one line names the byte.  Hundreds of processes are too slow with
# sanitizers; there the units cut.
python3 - <<'PY'
import gzip, io, os, re, subprocess, tarfile, zipfile

bad = runs = 0

def listed(name, data):
    """Exit status, members and messages of a bundle of these bytes."""
    global runs
    runs += 1
    with open(name, "wb") as f:
        f.write(data)
    done = subprocess.run(["lsr", "-R1", name], capture_output=True, text=True)
    lines = done.stdout.splitlines()
    return done.returncode, [l for l in lines if l and not l.endswith(":")], done.stderr.splitlines()

def check(what, n, got, status, members, byte):
    """@byte: what the message must name, a set of choices."""
    global bad
    named = [int(b.replace(",", "")) for m in got[2] for b in re.findall(r"byte ([\d,]+)", m)]
    fine = got[0] == status and got[1] == members and len(got[2]) == (status != 0)
    if not fine or (status and not byte & set(named)):
        bad += 1
        if bad < 10:
            print(what, "cut at", n, ":", got, "instead of", status, members, byte)

class Pipe(io.RawIOBase):
    """Cannot seek, so that sizes follow the data."""
    def __init__(self): self.data = b""
    def writable(self): return True
    def write(self, b): self.data += bytes(b); return len(b)

content = [("a", b"first\n"), ("b", b""), ("c", os.urandom(1100)), ("d", b"x" * 700)]
tape = io.BytesIO()
with tarfile.open(fileobj=tape, mode="w", format=tarfile.PAX_FORMAT) as t:
    headers = []
    for name, data in content:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        if name == "d":
            info.pax_headers = {"comment": "an extension before it"}
        t.addfile(info, io.BytesIO(data))
        headers.append((t.offset - (len(data) + 511) // 512 * 512, name))
    end = t.offset
tape = tape.getvalue()
for n in range(512, end + 1025, 512):
    members = [name for at, name in headers if at <= n]
    # Where a header, content or the end mark is missing, and what is missing there.
    check("tar", n, listed("cut.tar", tape[:n]), n <= end, members, set(range(n - 1024, n + 1)))
check("tar", len(tape), listed("cut.tar", tape), 0, list("abcd"), set())

packed = gzip.compress(tape, mtime=0)
before = 0
for n in range(64, len(packed), 64):
    got = listed("cut.tar.gz", packed[:n])
    members = got[1] if before == 0 and got[1] == ["cut.tar.gz"] else list("abcd")[:max(len(got[1]), before)]
    before = 0 if got[1] == ["cut.tar.gz"] else len(got[1])
    check("tar.gz", n, got, 1, members, {n})
check("tar.gz", len(packed), listed("cut.tar.gz", packed), 0, list("abcd"), set())

for streamed in False, True:
    out = Pipe() if streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in (("a", b"first"), ("b", b""), ("c", b"x" * 70)):
            z.writestr(zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6)), data, zipfile.ZIP_STORED if name == "b" else None)
    data = out.data if streamed else out.getvalue()
    ends = [m.start() + 31 for m in re.finditer(b"PK\3\4", data)]
    for n in range(1, len(data)):
        members = [name for at, name in zip(ends, "abc") if at <= n]
        if n < 8:
            check("zip", n, listed("cut.zip", data[:n]), 0, ["cut.zip"], set())
        else:
            check("zip", n, listed("cut.zip", data[:n]), 1 if members else 2, members, {n})
    check("zip", len(data), listed("cut.zip", data), 0, list("abc"), set())
print("enough runs" if runs > 600 else runs, bad, "wrong")
PY
