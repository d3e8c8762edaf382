# Where files must have names while they are written: the same bundles, and nothing is left behind.
mkdir d out; for i in $(seq 40); do head -c 100000 /dev/urandom >d/$i; done
lsr --pack d --output=a.tar.zst 2>/dev/null
without() { "$HELPERS/without" tmpfile "$@"; }
without lsr --pack d --output=out/b.tar.zst 2>/dev/null; cmp a.tar.zst out/b.tar.zst
status without lsr --pack d --output=out/b.tar.zst
without lsr --pack d --output=out/b.tar.zst --force 2>/dev/null; cmp a.tar.zst out/b.tar.zst
(ulimit -f 100; trap '' XFSZ; status without lsr --pack d --output=out/b.tar.zst --force; cmp a.tar.zst out/b.tar.zst)
ls -A out
# It is there while the work goes on, and gone once that is interrupted.
"$HELPERS/without" tmpfile lsr --pack d --output=out/c.tar.zst --compression-level=19 --threads=1 2>/dev/null &
for i in $(seq 100); do [ -z "$(ls -A out | grep '^\.c')" ] || break; sleep 0.01; done
ls -A out | sed 's/\.[0-9a-f]*$/.N/'; kill -TERM $!; wait $!; echo "=> $?"
ls -A out
