# engines: sync
# Deeper than any bundle is listed: the rest is packed.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
python3 - <<P
import os
os.mkdir("v"); os.mkdir("v/b"); top = os.open("v", os.O_DIRECTORY); at = os.open("v/b", os.O_DIRECTORY)
for i in range(5000):
    os.mkdir("d", dir_fd=at); below = os.open("d", os.O_DIRECTORY, dir_fd=at); os.close(at); at = below
for name, dir in ("a", top), ("leaf", at), ("z", top): os.close(os.open(name, os.O_CREAT, 0o644, dir_fd=dir))
P
for f in tar.zst zip; do pack v --output=v.$f | grep -v 'does not keep' | sed -E "s;'v/b/d/.*d';'v/b/d...';"; lsr --check v.$f | sed 's/,.*//'; lsr v.$f/v; done
rm -rf v
