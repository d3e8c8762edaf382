touch B a C b.2 b.10 b.1 _x .h
lsr
echo --
lsr -r
echo --
lsr -v
echo --
lsr -X
