# A tree that is there already is told of in some lines, however large it is.
mkdir d && (cd d && for i in $(seq 10 40); do echo $i >f$i; done)
lsr --pack d 2>said
echo mine >d/f12
lsr --unpack d.tar.zst
echo "status $?"
cat d/f12
lsr --unpack d.tar.zst --force
echo "status $?"
cat d/f12
