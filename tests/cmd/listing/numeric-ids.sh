# root:
touch f g
chown 65500:4000000000 f
chown 1:2 g
at '2010-01-01 00:00' f g
lsr -n f g
lsr -lg --numeric-uid-gid f g
lsr -o -n f g
lsr -l --author -n f g
