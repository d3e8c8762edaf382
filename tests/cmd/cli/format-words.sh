touch b a 'c d'; mkdir e; touch e/f
for format in verbose long commas horizontal across vertical single-column; do
	echo "-- $format"; lsr --format=$format -w40 -Q --time-style=+T --block-size=1 -G | sed 's/^\(.\{10\}\) *[0-9]* [a-z]* *[0-9]*/\1/; s/^total.*/total/'
done
echo "-- abbreviated"; lsr --format=comm; lsr --format=verb -o --time-style=+T | grep -c T
echo "-- the last one counts"; lsr --format=long -C -w40; lsr -l --format=single; lsr --format=long -1 | grep -c root
echo "-- of a tree"; lsr --tree --format=commas; lsr --tree --format=across; lsr --tree --format=long -o --time-style=+T | grep -c T
echo "-- no titles where there are no rows"; lsr --format=commas --titles; lsr --tree --titles
status lsr --format=x
status lsr --format=v
ln -s "$(command -v lsr)" ls; status ./ls --format=x
