touch a $'new\nline' 'with space'
lsr -1 --zero | tr '\0' '@'
echo
lsr --zero -Q 2>&1 | tr '\0' '@'
echo
