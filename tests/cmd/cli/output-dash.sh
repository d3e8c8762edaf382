# engines: sync
# "-" is standard output, and where that cannot be it is an error, not a name.
mkdir d d/sub; echo 1 >d/f; tar -cf d.tar d
status lsr --unpack d.tar --output=-
status lsr --pack --each d --output=-
mkdir ./-
status lsr --unpack d.tar --output=-
status lsr --pack --each d --output=- --bundle-format=tar
status lsr --pack d --output=- --bundle-format=tar 2>/dev/null | tar -tf - | wc -l
status lsr --unpack d.tar --output=./-
status lsr --compare d --runs=1 --formats=tar --html=- | grep -c '</html>'
status lsr --unpack d.tar --output=
status lsr --pack d --bundle-format=tar --output=
status lsr --pack --each d --output=
status lsr --compare d --html=
find . -mindepth 1 | sort
