# A full disk and a closed standard output.  What was opened instead of a closed one names the error.
touch a
lsr -l >/dev/full
echo "=> $?"
lsr -l a 2>err >&-
echo "=> $?"
sed 's/: [A-Z][a-z ]*$//' err
