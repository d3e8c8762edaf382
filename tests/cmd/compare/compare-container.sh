# engines: sync
# user:
# A container that refuses the call by which one asks whether a file may be read is asked by the older one.
mkdir d; echo 1 >d/a; echo 2 >d/b; echo 3 >d/secret; chmod 0 d/secret
"$HELPERS/without" faccessat2 lsr --compare d --runs=1 --formats=tar >out; echo "=> $?, $(grep -c '^files.* 2 ' out) ways read two files"
