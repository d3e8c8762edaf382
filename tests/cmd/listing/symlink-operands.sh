mkdir d
touch d/in
ln -s d to-d
ln -s gone broken
lsr to-d
echo --
lsr -F to-d broken
echo --
lsr -H to-d
echo --
lsr -L broken
echo "=> $?"
lsr -l to-d | sed 's/.* to-d/to-d/'
lsr --dereference-command-line-symlink-to-dir -l to-d | sed 's/.* //'
