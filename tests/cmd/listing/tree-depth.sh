mkdir -p a/b/c
touch a/b/c/f a/x
lsr --tree --level=1
echo --
lsr --tree --level=2
echo --
lsr --tree=2
echo --
status lsr --tree --level=x
