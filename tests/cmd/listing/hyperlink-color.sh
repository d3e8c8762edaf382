# Asked for by name, there is colour on any terminal and without LS_COLORS: our own.
mkdir d
touch f.txt x t.tar
chmod +x x
ln -s gone broken
lsr --color=always | cat -v
echo --
TERM=xterm lsr --color=always | cat -v
echo --
LS_COLORS='*.txt=33:di=01;44:or=05' lsr --color=always -F | cat -v
echo --
TERM=xterm lsr --color=always -C -w 80 | cat -v
echo --
lsr --hyperlink=always f.txt | sed "s,file://[^/]*$PWD,file://HOST/DIR," | cat -v
