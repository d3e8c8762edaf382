# What chooses names and places of members leads out of the target no more than members themselves.
bad() { python3 "$HELPERS/bad-tar" "$@"; }
mkdir outside; echo safe >outside/f; mkdir t
unpack() { status lsr --unpack "$@"; }
seen() { find t -mindepth 2 -printf '%P %y %l\n' | LC_ALL=C sort; echo "outside: $(cat outside/f) $(ls outside)"; rm -rf t; mkdir t; }

echo "== the target may be a link, which the user has chosen; what is in it is not followed"
mkdir real t/o; ln -s real link; ln -s ../../outside t/o/x
bad b.tar d:x f:x/f:1 f:x/evil:2 f:y:3
unpack b.tar -C link; find real | LC_ALL=C sort; rm -r real
unpack b.tar -C t/o; seen
mkdir t/o; ln -s ../../outside t/o/x
unpack b.tar x/evil x/f --force -C t/o; seen
echo "== a name that leads out, less its first components"
bad b.tar f:../../outside/f:1 f:/../outside/f:2 f:a/../../outside/f:3 f:a/b/../../../f:4 f:../..:5
for n in 0 1 2 3; do unpack b.tar --strip-components=$n -C t/o; seen; done
echo "== two directories become one: what is there stays"
bad b.tar l:a/x:../../outside f:b/x/f:1 f:a/f:2 f:b/f:3 d:b/g f:a/g:4
unpack b.tar --strip-components=1 -C t/o; cat t/o/f; seen
unpack b.tar --strip-components=1 --force -C t/o; cat t/o/f; seen
bad b.tar d:a/x f:a/x/1:1 l:b/x:../../outside f:c/x/2:2 f:c/x/f:3
unpack b.tar --strip-components=1 --force -C t/o; seen
echo "== links that lose components lead where they led"
bad b.tar f:a/f:1 h:b/h:a/f l:a/l:../outside/f h:a/hl:a/l
unpack b.tar --strip-components=1 -C t/o; cat t/o/h; seen
unpack b.tar b/h --strip-components=1 -C t/o; cat t/o/h; seen
echo "== members through links"
bad b.tar d:d f:d/f:1 l:in:d l:out:../outside l:abs:/etc
unpack b.tar in/f -C t/o; seen
unpack b.tar out/f abs/passwd out -C t/o; seen
unpack b.tar out abs -C t/o; seen
unpack b.tar ../outside/f d/../../outside/f -C t/o; seen
printf 'out/f\n../../outside/f\n' | unpack b.tar --files-from=- -C t/o; seen
