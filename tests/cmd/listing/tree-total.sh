# Trees with long rows close with what there was below the operands.
mkdir -p t/a/deep e; printf %01234567d 0 >t/a/deep/large; printf 12345 >t/five; ln -s five t/link
total() { lsr --tree "$@" | tail -n 2; }
total -l t; total -go -h t; total -l e; total -l t/five; total -l t/a e t/five
total --columns=mode t; total --columns=size,age t/a --block-size=K
total -l --level=1 t
total -l --zero e | tr '\0' 0 | tail -c 24; echo
echo "-- not with names alone"
lsr --tree e; lsr --tree -s e | sed 's/^[0-9]*/N/'
tar -cf t.tar t; total -l t.tar
