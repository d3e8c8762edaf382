# What a format cannot hold is left out with a line of its own, and exit 1.
mkdir d; truncate -s 999000001 d/huge; echo x >d/small
status lsr --pack d --output=x.sqlar 2>&1 | sed -E 's/, [0-9,]+ bytes out.*/, .../'
lsr -R1 x.sqlar
