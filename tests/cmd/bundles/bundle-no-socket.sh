# A process that would read a bundle and has not got its socket ends: at the number of it may be what is another's.
for n in 1 2 3 4; do "$HELPERS/tar-of" f 1 >$n.tar; done
for bundles in '1.tar' '1.tar/ 2.tar/ 3.tar/ 4.tar/'; do
        "$HELPERS/without" dup2 lsr --no-cache -lR $bundles; echo "=> $?"
done
