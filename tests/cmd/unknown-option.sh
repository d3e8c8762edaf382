lsr --colour
echo "=> $?"
