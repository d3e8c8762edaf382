touch a a~ b.o c.o .x
lsr -B
echo --
lsr --ignore='*.o'
echo --
lsr --hide='*.o' -I 'a*'
echo --
lsr -a --hide='*.o' | grep -v '^\.*$'
