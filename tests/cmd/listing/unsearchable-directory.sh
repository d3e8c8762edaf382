# user:
# The name can be read, nothing about it: question marks.
mkdir d
touch d/a
chmod 444 d
lsr d
echo "=> $?"
lsr -l d
echo "=> $?"
lsr -s1 d
echo "=> $?"
chmod 700 d
