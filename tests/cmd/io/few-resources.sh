# Few descriptors, no locked memory.
mkdir -p d/{1..20}/{a,b}
(cd d/1 && touch $(seq 1 500))
lsr -lR --io=sync d >want
(ulimit -n 8; timeout 30 lsr -lR d) | cmp - want && echo "8 descriptors"
(ulimit -l 0; timeout 30 lsr -lR d) | cmp - want && echo "no locked memory"
