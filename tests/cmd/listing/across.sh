touch $(seq 1 25) a-much-longer-name b
lsr -x -w 60
echo --
lsr -x -w 30
