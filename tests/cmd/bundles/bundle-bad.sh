# What is intact is listed; one line says what is wrong.
mkdir d; for i in 1 2 3; do echo $i >d/f$i; done
tar --sort=name -cf b.tar d
head -c 1800 b.tar >cut.tar
status lsr -R cut.tar
gzip -nk b.tar
head -c 100 b.tar.gz >cut.tar.gz
status lsr cut.tar.gz 2>&1 | mask_numbers
# All members are there, and the end of the compressed data is not, or says that they are not what was packed.
for f in gzip zstd xz bzip2 lz4; do
        $f -q -c b.tar >b.tar.$f 2>/dev/null
        head -c -2 b.tar.$f >cut.tar.$f
        status lsr -R cut.tar.$f 2>&1 | sed 's/byte [0-9,]*/byte N/g'
done
head -c -8 b.tar.gz >sum.tar.gz; printf 'abcd' >>sum.tar.gz; tail -c 4 b.tar.gz >>sum.tar.gz
status lsr sum.tar.gz 2>&1 | sed 's/byte [0-9,]*/byte N/g'
# Not for ever: a megabyte behind the last member is enough.
{ cat b.tar; head -c 3000000 /dev/zero; } | gzip -n | head -c -2 >far.tar.gz
status lsr far.tar.gz; status lsr --check far.tar.gz 2>&1 | sed 's/byte [0-9,]*/byte N/g'
: >empty; head -c 2000 /dev/zero >zeros
status lsr empty
status lsr zeros
status lsr -l missing.tar/x
echo text >notes.txt; gzip -n notes.txt
status lsr notes.txt.gz
