# On standard error, so that the listing stays what it was.
touch a b
lsr --stats 2>err
[ -s err ] && echo "something on standard error"
grep -c 'entries' err
