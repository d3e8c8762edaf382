# locale: en_US.UTF-8
touch grün 'a “b”' $'\xe2\x82' 日本
lsr
echo --
lsr -b
echo --
lsr --quoting-style=locale
echo --
lsr --quoting-style=shell-escape
