# A bundle for every subdirectory.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir -p d/one/x d/two d/.dot out; echo 1 >d/one/f; echo 2 >d/two/f; echo no >d/file; ln -s one d/link
pack --each d
pack --each d --output=out --bundle-format=tar
tar -tf one.tar.zst; tar -tf out/two.tar
touch out/a.tar; rm out/one.tar
pack --each d --output=out --bundle-format=tar
ls -A . out
mkdir -p files many/a many/b; touch files/x many/y
pack --each files
pack --each many --output=out
pack --each many files --output=out --force; ls out
