touch $(seq 1 25) a-much-longer-name b
lsr -C -w 80
echo --
lsr -C -w 40
echo --
lsr -C -w 10
echo --
COLUMNS=50 lsr -C
echo --
lsr -C -w 40 -T 0
echo --
lsr -C -w 0
