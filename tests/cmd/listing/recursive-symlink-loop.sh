# With -L a directory that contains itself is told, not followed for ever.
mkdir d
ln -s . d/self
lsr -RL d
echo "=> $?"
lsr -R d
