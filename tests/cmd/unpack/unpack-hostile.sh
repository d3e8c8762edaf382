# Nothing outside the target is touched, whatever a bundle holds and whatever lies in the target.
bad() { python3 "$HELPERS/bad-tar" "$@"; }
mkdir outside; echo safe >outside/f; mkdir t
unpack() { status lsr --unpack "$1" --output=t/o; }
seen() { find t -mindepth 2 -printf '%P %y %l\n' | LC_ALL=C sort; echo "outside: $(cat outside/f) $(ls outside)"; rm -rf t; mkdir t; }

echo "== names that lead out"
bad b.tar f:../up:1 f:../../up2:2 f:/abs:3 f:a/../../b:4 f:./c/./d:5 d:.. f:..:6
unpack b.tar; seen; ls
echo "== a symbolic link, then a file through it"
bad b.tar l:x:../../outside f:x/evil:1 l:y:/etc f:z:1 l:z:../../outside/f
unpack b.tar; seen
echo "== the link is there already"
mkdir t/o; ln -s ../../outside t/o/x; ln -s ../../outside/f t/o/z
bad b.tar d:x f:x/evil:1 f:x/f:2 f:z:3
unpack b.tar; seen
mkdir t/o; ln -s ../../outside t/o/x; ln -s ../../outside/f t/o/z
status lsr --unpack b.tar --output=t/o --force; cat t/o/x/f t/o/z; seen
echo "== hard links to what is outside, or not there"
bad b.tar h:passwd:/etc/passwd h:f:../../outside/f l:s:../../outside/f h:hs:s h:self:self
unpack b.tar; seen
echo "== a link to a directory of another name, and a link to a link"
bad b.tar l:a:b l:b:../../outside f:a/evil:1 f:b/evil:2
unpack b.tar; seen
echo "== one name, many kinds"
bad b.tar f:n:1 d:n f:n/x:2 l:n:../../outside f:m:1 l:m:/etc/passwd f:m:3
unpack b.tar; cat t/o/m; seen
echo "== a file is in the way of a directory, a directory of a file"
mkdir -p t/o/dir; echo mine >t/o/file; echo mine >t/o/dir/x
bad b.tar d:file f:file/below:1 f:dir:2
unpack b.tar; cat t/o/file
status lsr --unpack b.tar --output=t/o --force; cat t/o/dir/x; seen
echo "== names of case"
bad b.tar l:LINK:../../outside f:link/evil:1 f:Link:2
unpack b.tar; seen
echo "== names too long, control characters"
bad b.tar "f:$(printf 'n%.0s' {1..300}):1" 'f:new\x0aline\x1b[1m:2' f:good:3
unpack b.tar; seen
