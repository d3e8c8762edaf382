# Deeper than any path may be, and deeper than is believed.
python3 - <<'P'
import tarfile
for name, depth in ("deep", 3000), ("deeper", 100000):
    with tarfile.open(name + ".tar", "w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(tarfile.TarInfo("first"))
        tar.addfile(tarfile.TarInfo("ab/" * depth + "f"))
P
status lsr --unpack deep.tar --output=o
find o -name f -printf '%d\n'; ls -F o
status lsr --unpack deeper.tar --output=p
ls -F p
rm -rf o p # not every tool can
