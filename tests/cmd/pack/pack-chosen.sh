# Which files are packed, from where, to where: -C, --files-from, --include, --dereference, --one-file-system, --dry-run.
mkdir -p s/a/b s/c other; echo 1 >s/a/f.c; echo 22 >s/a/b/g.c; echo 333 >s/a/b/g.h; echo 4 >s/c/h.txt; ln -s a s/link; ln -s ../other s/out
echo o >other/x.c; ln -s nowhere s/dangling
at '2020-01-02 03:04:05' s/a/f.c s/a/b/* s/c/h.txt s/a/b s/a s/c s other/x.c other
quiet() { "$@" 2>&1 | sed 's/, [0-9.]* s$//; s/, [0-9,]* bytes out//'; }
has() { tar -tf "$1"; rm -f "$1"; }
echo "== below another directory"
quiet lsr --pack -C s a c --output=o.tar; has o.tar
quiet lsr -C s --pack . --output=o.tar; has o.tar
quiet lsr --pack --directory=s a --bundle-format=tar; has a.tar
status lsr --pack -C missing a --output=o.tar; status lsr --pack -C s missing --output=o.tar; ls
echo "== what a list names, as it is written"
(cd s; find . -name '*.c' | LC_ALL=C sort -r) >list
quiet lsr --pack -C s --files-from=list --output=o.tar; has o.tar
printf 'a/b\na/b/g.c\n./a//f.c\nlink\na/b/g.c\n' | quiet lsr --pack -C s --files-from=- --output=o.tar; has o.tar
printf 'c\0./\0' | quiet lsr --pack -C s --files-from=- -0 --output=o.tar; has o.tar
(cd s; printf 'a/f.c' | quiet lsr --pack --files-from=- --output=in.tar; has in.tar)
printf 'a/f.c\nlink/f.c\n../other/x.c\n/etc/passwd\na/missing\nc/..\nout/x.c\n' | status lsr --pack -C s --files-from=- --output=o.tar; ls o.tar
printf 'link/f.c\nout\n' | quiet lsr --pack -C s -L --files-from=- --output=o.tar; has o.tar
status lsr --pack -C s --files-from=/dev/null --output=o.tar
status lsr --pack -C s --files-from=list a --output=o.tar; status lsr --pack --each -C s --files-from=list
printf 'a/f.c\0' >zero; status lsr --pack -C s --files-from=zero --output=o.tar
echo "== what matches, with its directories"
quiet lsr --pack s --include='*.c' --output=o.tar; has o.tar
quiet lsr --pack s --include='*.c' --include=c --exclude=b --output=o.tar; has o.tar
quiet lsr --pack s --include=a/b/ --include=nothing --output=o.tar; has o.tar
quiet lsr --pack -C s --files-from=list --include='g.*' --output=o.tar; has o.tar
status lsr --pack s --include='*.o' --output=o.tar; ls o.tar
echo "== links as what they lead to; a loop is none"
rm s/dangling; ln -s .. s/c/loop
quiet lsr --pack s --dereference --output=o.tar; tar -tvf o.tar | sed 's/ *root.*:.. / /' ; lsr --check o.tar; rm o.tar
ln -s nowhere s/dangling
quiet lsr --pack s -L --output=o.tar; rm o.tar
status lsr --pack s -L --dry-run >/dev/null
rm s/c/loop
echo "== on one file system"
mkdir "/dev/shm/lsr-$$"; echo s >"/dev/shm/lsr-$$/x"; ln -s "/dev/shm/lsr-$$" s/shm; rm s/dangling
quiet lsr --pack s -L --include=shm --output=o.tar; has o.tar
quiet lsr --pack s -L --include=shm --one-file-system --output=o.tar; has o.tar
rm -r "/dev/shm/lsr-$$"; rm s/shm; ln -s nowhere s/dangling
echo "== only named"
status lsr --pack s --dry-run --exclude='*.h'; status lsr --pack s --include='*.h' --dry-run --output=-; ls
status lsr --pack -C s . --dry-run --include='*.h' --output=-
echo "== into a directory"
mkdir there; quiet lsr --pack s/a --output=there/; has there/a.tar.zst 2>&1 | sed 's/^tar:.*//' | head -1
status lsr --pack s --output=missing/; status lsr --pack s other --output=there/
quiet lsr --pack --each s --output=made/ --bundle-format=tar; ls made; rm -r made
quiet lsr --pack --each s --output=made/ --bundle-format=tar --dry-run; ls made
status lsr --pack --each missing --output=made/; ls made
