# What members are called, and which operands go together.
pack() { lsr --pack "$@" 2>&1 | sed -E "s,$PWD/,/HERE/,g; s,$PWD',/HERE',; s/"'[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir -p a/b/c z/b; echo 1 >a/b/f; echo 2 >z/g; echo 3 >file; ln -s a link
pack a/b && tar -tf b.tar.zst
pack a/b/ --output=1.tar && tar -tf 1.tar
(cd a/b; pack . --output=../../2.tar); tar -tf 2.tar
(cd a/b/c; pack .. --output=../../../3.tar); tar -tf 3.tar
pack file --output=4.tar && tar -tf 4.tar
pack z a file --output=5.tar && tar -tf 5.tar
pack link --output=6.tar && tar -tf 6.tar
pack a/b z/b --output=7.tar
pack a . --output=7.tar | sed "s,'/.*/case-[^']*,'/HERE,"
pack a z
pack a missing --output=7.tar
pack
(cd a/b; pack .)
ls
