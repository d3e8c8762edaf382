touch $(seq 1 30) long-name
lsr -m
echo --
lsr -m -w 20
echo --
lsr -m -w 0
