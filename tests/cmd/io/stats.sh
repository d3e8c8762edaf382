# On standard error, so that the listing stays what it was.
touch a b
lsr --stats a b 2>err
grep -c '^entries  *2$' err
