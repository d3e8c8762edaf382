mkdir d
touch f x 'b s'
chmod +x x
ln -s d ld
mkfifo p
lsr -F
echo --
lsr -p
echo --
lsr --file-type
echo --
lsr --indicator-style=none -F
echo --
lsr -F --indicator-style=slash
