# engines: sync
# static:
# How often a file is read: by who decides whether to ask, and by who identifies and lists it.
# What identifying has read of the beginning and the end is not read again.
mkdir t
for i in {100..399}; do echo $i; done >numbers
for i in {1..300}; do cp numbers t/file-with-a-name-$i; done
zip -q0r large.zip t
zip -qj small.zip t/file-with-a-name-1 t/file-with-a-name-2
tar -cf small.tar -C t file-with-a-name-1
tar -czf small.tar.gz -C t file-with-a-name-1
reads() {
        rm -f trace.*
        # A file for each process, as their calls cut each other in two; the main process is the first.
        strace -ff -qq -y -e trace=read,pread64,readv,preadv,mmap -o trace lsr --no-cache "$@" >/dev/null
        for f in $(ls trace.* | sort -t. -k2n); do
                grep -E '\(.*/(small|large)[.a-z]*>.* = [0-9]+$' $f | sed -E "s/.*\/((small|large)[.a-z]*)>.*/$f \1/"
        done | awk 'NR == 1 { main = $1 } { if ($1 == main) m++; else w++ }
                    END { print $2 ": " m " by the main process, " w " by the worker" }'
}
for b in small.zip large.zip small.tar small.tar.gz; do reads -l $b/; done
reads --cat small.zip/file-with-a-name-2
reads --cat large.zip/t/file-with-a-name-7
# An archive that we made has what is listed in one place, and one look at the last row tells that it is whole; otherwise rows
# lie between contents.
mkdir u; for i in {1..300}; do head -c 20000 /dev/urandom >u/$i; done
lsr --pack --no-verify u --output=small.sqlar 2>/dev/null
python3 -c "import shutil, sqlite3; shutil.copy('small.sqlar', 'large.sqlar'); sqlite3.connect('large.sqlar').execute('DROP INDEX sqlar_list')"
for b in small.sqlar large.sqlar; do reads -lR $b; done
# And a member is looked up there, as no name stands for another's path; otherwise all names are read.
mkdir v; for i in {1001..5000}; do echo $i >v/a-file-with-a-long-name-$i; done
lsr --pack --no-verify --force v --output=small.sqlar 2>/dev/null
python3 -c "import shutil, sqlite3; shutil.copy('small.sqlar', 'large.sqlar'); sqlite3.connect('large.sqlar').execute('DROP INDEX sqlar_odd')"
for b in small.sqlar large.sqlar; do
        strace -f -qq -e trace=pread64 -o trace lsr --cat $b/v/a-file-with-a-long-name-1777 >/dev/null
        awk -v b=$b '/pread64/ && $NF > 0 { n += $NF } END { print b ": " (n < 600000 ? "no names are" : "all names are") " read" }' trace
done
