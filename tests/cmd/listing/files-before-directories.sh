mkdir d e
touch d/in file z e/two
lsr z d file e
echo --
lsr -d z d file e
echo --
lsr --group-directories-first -1d z d file e
