# engines: sync
# Options of one command are not silently without meaning for another.
mkdir d
status lsr --output=x.zip d
status lsr --exclude='*.o' d
status lsr --force --check d
status lsr --each --unpack d
status lsr --runs=2 --pack d
status lsr --html=page d
status lsr --cold --each d
# Whichever comes first.
status lsr --cat --pack d
status lsr --pack --cat d
status lsr --compare --pack d
status lsr --pack --output=d.tar --force --pack d 2>&1 | sed 's/bytes out.*/bytes out/'
ls
