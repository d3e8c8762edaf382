# -f and -U give the directory's own order: as sets they are complete.
touch a b .c
lsr -U | sort
echo --
lsr -f | sort
