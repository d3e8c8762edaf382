# All operands are looked up before the first file is written.
mkdir d e; echo 1 >d/f; echo 2 >e/g; echo 3 >plain
tar -cf d.tar d; tar -czf e.tar.gz e; tar -cf both.tar d.tar e.tar.gz
there() { find "${1-out}" -mindepth 1 2>/dev/null | sort | tr '\n' ' '; echo; rm -rf out; }
status lsr --unpack d.tar missing.tar --output=out; there
status lsr --unpack d.tar plain --output=out; there
status lsr --unpack d.tar e --output=out; there
status lsr --unpack missing plain d.tar e.tar.gz/nothing --output=out; there
status lsr --unpack d.tar/d/missing e.tar.gz --output=out; there
head -c 700 d.tar | tail -c 300 >junk.tar
status lsr --unpack d.tar junk.tar --output=out; there
status lsr --unpack missing.tar --output=out; there
# With what is there.
status lsr --unpack d.tar e.tar.gz/e/g both.tar/d.tar both.tar/e.tar.gz/e --output=out; there
# A bundle that is damaged is unpacked as far as it goes, like one by itself; each is told once.
head -c 1000 d.tar >cut1.tar; head -c 700 d.tar >cut2.tar
status lsr --unpack cut1.tar cut2.tar e.tar.gz --output=out; there
status lsr --unpack - e.tar.gz --output=out <d.tar; there
# More than are open at a time.
for i in {1..40}; do mkdir n$i; echo $i >n$i/f; tar -cf n$i.tar n$i; done
status lsr --unpack n*.tar --output=out; cat out/n*/f | sort -n | sed -n "1p;\$p"; rm -r out
status lsr --unpack n*.tar n41.tar --output=out; there
