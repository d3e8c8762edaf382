lsr / >/dev/full
echo "=> $?"
lsr --help >/dev/full
echo "=> $?"
