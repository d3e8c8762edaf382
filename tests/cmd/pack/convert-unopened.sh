# engines: sync
# static:
# A bundle that cannot be read here and now is not packed as a file in its place.
mkdir d
touch d/f
lsr --pack --output=x.tar.zst d 2>/dev/null
refused() { strace -f -qq -o trace -e trace=socketpair -e inject=socketpair:error=EMFILE lsr "$@"; }
status refused --pack --output=y.zip x.tar.zst
ls
