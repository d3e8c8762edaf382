printf 1 >one; printf 22 >two; printf 22 >also-two; : >none
at '2001-01-01 00:00:00.5' one
at '2001-01-01 00:00:00.7' two
at '2003-01-01' also-two
at '2002-01-01' none
lsr -S
echo --
lsr -Sr
echo --
lsr -t
echo --
lsr -tr
echo --
lsr --sort=width
