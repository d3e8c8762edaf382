# Nothing is near: no suggestion.
lsr --qqqqqqqqqqqq
echo "=> $?"
lsr -%
echo "=> $?"
