# Every format: what is packed can be read, and what cannot be kept is told.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir -p d/sub/empty; echo hi >d/a; ln d/a d/hard; ln -s a d/link; mkfifo d/sub/pipe; : >d/empty
for i in $(seq 300); do echo "file $i" >d/sub/$i; done; head -c 2000000 /dev/urandom >d/large
truncate -s 300K d/holes; echo end >>d/holes
for format in tar.zst tar tar.gz tar.xz tar.bz2 tar.lz4 zip sqlar; do
        pack d --output=x.$format
        (cd d; lsr -R1 .) >real; lsr -R1 x.$format/d | sed "s,^x.$format/d,.," >listed
        diff real listed
        [ $format = sqlar ] || { mkdir o; bsdtar -xf x.$format -C o; diff -r d o/d 2>&1 | grep -v fifo; rm -r o; }
done
# The shell of SQLite 3.40 complains of symbolic links, of its own archives too.
mkdir o; (cd o; sqlite3 -A -xf ../x.sqlar 2>/dev/null); diff -r d o/d 2>&1 | grep -v fifo
# The level, and the same bytes from any number of threads.
for format in tar.gz tar.zst zip; do
        lsr --pack d --output=1.$format --compression-level=9 --threads=1 2>/dev/null
        lsr --pack d --output=3.$format --compression-level=9 --threads=3 --no-verify 2>/dev/null
        status cmp 1.$format 3.$format
done
