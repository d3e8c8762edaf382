touch .h v
mkdir .d
lsr
echo --
lsr -a
echo --
lsr -A
echo --
lsr -aA
echo --
lsr -Aa
