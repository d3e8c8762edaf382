# A tree of everything, packed, looked at with tar, and unpacked again as it was.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir -p d/sub/deep 'd/name with
newline' d/sub-b
echo hi >d/a; echo yo >d/sub/x; : >d/empty; echo z >d/sub.c; echo b >d/sub-b/y
ln -s a d/link; ln -s nowhere d/sub/dangling; ln d/a d/sub/hard
mkfifo d/pipe
truncate -s 1M d/sparse; echo tail >>d/sparse
head -c 300000 /dev/zero | tr '\0' x >d/large
for i in $(seq 200); do echo "file $i" >d/sub/deep/$i; done
chmod 4750 d/sub/x; chmod 1777 d/sub
at '2020-01-02 03:04:05.678901234' d/a d/sub/x d/link
at '1999-12-31 23:59:59' d/sub
pack d
tar --zstd --no-quote-chars=' ' -tf d.tar.zst | grep -v deep/[0-9]
mkdir out; tar --zstd -xf d.tar.zst -C out
tree() { (cd $1; find . -printf '%p %y %m %s %T@ %l %n\n' | sort; find . -type f -exec sha256sum {} + | sort); }
tree d | sed -E '/ d /s/ [0-9]+ ([0-9.]+)  [0-9]+$/ \1/' >in.txt; tree out/d | sed -E '/ d /s/ [0-9]+ ([0-9.]+)  [0-9]+$/ \1/' >out.txt
status cmp in.txt out.txt
[ $(stat -c %b out/d/sparse) -lt 100 ] && echo holes are holes
# The same bytes again, whatever the number of threads; and from another place.
mkdir elsewhere; cp -a d elsewhere/
pack elsewhere/d --threads=3 --output=again.tar.zst
status cmp d.tar.zst again.tar.zst
pack d --no-verify --force
status cmp d.tar.zst again.tar.zst
# What lsr lists is what it packed.
(cd d; lsr -R1 .) >real; (lsr -R1 d.tar.zst/d) | sed 's,^d.tar.zst/d,.,' >listed
status cmp real listed
