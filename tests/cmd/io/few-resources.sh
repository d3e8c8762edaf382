# Few descriptors, no locked memory.
mkdir -p d/{1..20}/{a,b}
(cd d/1 && touch $(seq 1 500))
lsr -lR --io=sync d >want
(ulimit -n 8; timeout 30 lsr -lR d) | cmp - want && echo "8 descriptors"
(ulimit -l 0; timeout 30 lsr -lR d) | cmp - want && echo "no locked memory"
# Bundles are closed again, in time for what else is opened.  A ring that is asked for by name takes more.
unset LSR_IO
mkdir b
for i in {1..30}; do echo $i >f$i; tar -cf b/$i.tar f$i; done
(ulimit -n 20; timeout 60 lsr -1R --bundles=always --no-cache b) >got 2>&1; grep -c '^f' got; grep lsr: got
(ulimit -n 20; timeout 60 lsr --unpack --no-cache --output=o b/*.tar) 2>&1; ls o | wc -l
(ulimit -n 20; timeout 60 lsr --cat --no-cache $(for i in {1..30}; do echo b/$i.tar/f$i; done)) 2>&1 | cmp - <(seq 30) && echo "all of them"
