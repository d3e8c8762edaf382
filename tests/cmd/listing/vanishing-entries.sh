# Files that come and go while they are listed: nothing but ENOENT is said of them.
mkdir d
touch d/stay
(while [ ! -e stop ]; do touch d/{1..80}; rm -f d/{1..80}; done) &
for i in $(seq 1 100); do
        timeout 20 lsr -al d >out 2>err
        rc=$?
        [ $rc -le 1 ] || echo "exit status $rc"
        grep -q ' stay$' out || echo "one that was there is missing"
        grep -vE "^lsr: cannot access 'd/[0-9]+': No such file or directory$" err
done
touch stop
wait
