mkdir -p a/b/c d .h
touch a/b/c/f a/x d/y z .h/in
ln -s d link
lsr --tree
echo --
lsr --tree -a a d
