# root:
# -l of a directory: a total of nothing but empty files.
touch a b c
at '2010-01-01 00:00' a b c
lsr -l
echo "=> $?"
lsr -l .
