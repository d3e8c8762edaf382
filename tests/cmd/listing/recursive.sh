mkdir -p a/b/c a/.h d
touch a/b/c/f a/.h/g d/x
lsr -R
echo --
lsr -RA a d
echo --
lsr -R1 d a/b
