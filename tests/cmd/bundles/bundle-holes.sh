# Holes travel as holes: what costs nothing to store costs nothing to read.
python3 - <<'PY'
import gzip, io, tarfile, zipfile

def sparse(size, pieces):
    """A member of GNU tar's sparse format 1.0: the map is text in front of the content."""
    table = f"{len(pieces)}\n" + "".join(f"{at}\n{len(data)}\n" for at, data in pieces)
    body = table.encode() + b"\0" * (-len(table) % 512) + b"".join(data for _, data in pieces)
    return body, {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(size)}

def add(tar, name, body, pax={}):
    info = tarfile.TarInfo(name)
    info.size, info.pax_headers = len(body), {**pax, "GNU.sparse.name": name} if pax else {}
    tar.addfile(info, io.BytesIO(body))

with tarfile.open("huge.tar", "w", format=tarfile.PAX_FORMAT) as tar:
    add(tar, "huge", *sparse(1 << 40, [(0, b"head"), ((1 << 40) - 4, b"tail")]))
    add(tar, "empty", *sparse(1 << 40, []))
    add(tar, "medium", *sparse((1 << 20) + 4, [(1 << 20, b"last")]))
    add(tar, "small", *sparse(10, [(3, b"mid")]))
open("huge.tar.gz", "wb").write(gzip.compress(open("huge.tar", "rb").read()))
inner = io.BytesIO()
with zipfile.ZipFile(inner, "w") as z:
    z.writestr("in", "zip")
with tarfile.open("dense.tar.gz", "w:gz") as tar:
    add(tar, "zeros", b"\0" * (80 << 20))
    add(tar, "prefix.zip", b"#!/bin/sh\n" + inner.getvalue())
with tarfile.open("long.tar.gz", "w:gz") as tar:
    add(tar, "end.zip", b"\0" * (80 << 20) + inner.getvalue())
PY
for f in huge.tar huge.tar.gz; do
        status timeout 20 lsr --check $f
        status timeout 20 lsr --unpack --output=o-$f $f
        (cd o-$f && stat -c '%n %s' * && [ "$(stat -c %b huge)" -lt 100 ] && tail -c 6 huge | od -c && cat small | od -c)
done
# To a file: behind what is there, over what is there, and in between.
timeout 20 lsr --cat huge.tar/huge huge.tar/small >f; stat -c '%s' f; [ "$(stat -c %b f)" -lt 100 ] && tail -c 17 f | od -c
echo 12345 >f; timeout 20 lsr --cat huge.tar/empty huge.tar/small >>f; stat -c '%s' f; head -c 8 f | od -c; tail -c 12 f | od -c
yes | head -c 2000000 >f; lsr --cat huge.tar/medium 1<>f; stat -c %s f; tr -d '\0' <f | head -c 8 | od -c
lsr --cat huge.tar/medium >f; lsr --cat huge.tar/medium | cmp - f && stat -c %s f
# To a pipe as many as are read.
timeout 20 lsr --cat huge.tar/huge | head -c 6 | od -c
# Whether it is a bundle is seen by its beginning, unless it is asked for: no more is copied than this.
(ulimit -f 4096; status lsr -R --bundles=always dense.tar.gz)
status timeout 20 lsr -R --bundles=always huge.tar.gz
status lsr long.tar.gz/end.zip
status lsr long.tar.gz/end.zip/
