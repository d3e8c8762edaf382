# user:
mkdir closed open
touch open/in
chmod 0 closed
lsr closed
echo "=> $?"
lsr -R
echo "=> $?"
lsr open closed
echo "=> $?"
chmod 700 closed
