ln -s gone broken
lsr -go --time-style=+T broken
lsr -goL --time-style=+T broken
echo "=> $?"
lsr -LF
echo "=> $?"
