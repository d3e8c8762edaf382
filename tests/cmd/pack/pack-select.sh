# Leaving out by pattern, and what git leaves out.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir -p d/build/x d/src/build d/src/.hidden; touch d/a.o d/a.c d/src/b.o d/src/b.c d/build/x/y d/src/build/z d/src/.hidden/h
pack d --exclude='*.o' --exclude=build --output=1.tar && tar -tf 1.tar
pack d --exclude='src/*' --output=2.tar && tar -tf 2.tar
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git init -q d; git init -q d/src/own; touch d/src/own/file.o
printf '*.o\n/build/\n' >d/.gitignore; git -C d add a.c; git -C d add -f src/b.o
pack d --gitignore --output=3.tar >/dev/null; tar -tf 3.tar | grep -v own/.git/.
pack d/src --gitignore --exclude=.git --output=4.tar && tar -tf 4.tar
