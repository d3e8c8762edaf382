# What exists is listed still, after the complaint.
touch here
lsr here gone 'with space' $'new\nline'
echo "=> $?"
lsr -l gone
echo "=> $?"
lsr ''
