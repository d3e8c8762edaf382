# Sizes are counted in blocks as they are allocated.
head -c 65536 /dev/urandom >data; sync data
total=$(lsr -l | head -n 1)
blocks=$(stat -c %b data)
[ "$total" = "total $((blocks / 2))" ] && echo same || echo "$total, stat says $blocks"
lsr -s | head -n 1 | grep -c '^total '
