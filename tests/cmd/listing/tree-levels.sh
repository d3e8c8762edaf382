# A number behind -L is a level where there are levels; elsewhere -L is what it is to ls.
mkdir -p a/b/c 2/x; ln -s a l
lsr --tree -L 1; lsr -L2 --tree a; lsr --tree -aL 1 a; lsr --tree --depth=1 a; lsr -R -L 1 a
echo "-- no levels"
lsr -L 2; lsr -dL -p l; as_ls -RL 2
status lsr -L2
status lsr --depth=2 a
echo "-- no number"
lsr --tree -L ./2; lsr --tree -L l; lsr --tree=2 -L
status lsr --tree -L 0
status lsr --tree -L
