# engines: sync
# libarchive loses its way in a warc behind content that it gave in several pieces.
mkdir d; seq 200000 >d/a; echo b >d/b; echo c >d/c
bsdtar --format=warc -cf w.warc d/a d/b d/c
status lsr --check w.warc
lsr --unpack w.warc --output=out; diff -r d out/d && echo same
gzip w.warc; status lsr --check w.warc.gz
