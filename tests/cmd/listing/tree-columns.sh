# root:
# Columns of a tree align over all of it, under one line of titles.
mkdir -p t/a/deep
printf '%0123456d' 0 >t/a/deep/large
printf 1 >t/small
touch "t/a/with blank"
ln -s nowhere t/a/link
touch -d '2024-02-03 04:05' t t/a t/a/deep t/a/deep/* t/a/with* t/small
touch -h -d '2024-02-03 04:05' t/a/link
chown -R 0:0 t
chmod -R u=rwX,go=rX t
export TZ=UTC
lsr --tree -l --titles t
echo -- quotes
lsr --tree -l --quoting-style=shell t
echo -- without -l
lsr --tree -s t | sed 's/^ *[0-9]* /N /'
echo -- several operands, one missing
lsr --tree -l --titles t/small missing t/a
echo -- nothing
mkdir empty
touch -d '2024-02-03 04:05' empty
lsr --tree -g empty
