touch b a 'c d'; mkdir e; touch e/f
for format in verbose long commas horizontal across vertical single-column; do
	echo "-- $format"; lsr --format=$format -w40 -Q --time-style=+T --block-size=1 -G | sed 's/^\(.\{10\}\) *[0-9]* [a-z]* *[0-9]*/\1/; s/^total.*/total/'
done
echo "-- abbreviated"; lsr --format=comm; lsr --format=verb -o --time-style=+T | grep -c T
echo "-- the last one counts"; lsr --format=long -C -w40; lsr -l --format=single; lsr --format=long -1 | grep -c root
echo "-- of a tree"; lsr --tree --format=commas; lsr --tree --format=across; lsr --tree --format=long -o --time-style=+T | grep -c T
echo "-- no titles where there are no rows"; chmod 644 a b; lsr -1 --columns=octal --titles a b; lsr --tree -1 --columns=octal --titles a b
echo "-- where names are aligned, unquoted ones have a blank"
for format in verbose commas across vertical single-column; do lsr --format=$format --quoting-style=shell -w40 --time-style=+T 'c d' b | sed 's/.*T/T/'; done
lsr -C -w0 --quoting-style=shell 'c d' b
status lsr --format=x
status lsr --format=v
ln -s "$(command -v lsr)" ls; status ./ls --format=x
