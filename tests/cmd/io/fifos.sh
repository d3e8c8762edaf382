# What stands in the place of a file and would have to be waited for is not: a FIFO nobody writes to, or somebody silent.
mkdir d e
(cd d && touch $(seq 1 100))
touch -d @0 e/f
mkfifo fifo
zones() {
        for listing in 'd' '--total-size d' 'd e' '--json --bundles=always d' '-R d'; do
                TZ=/ lsr -l $listing >expected
                TZ=$PWD/fifo timeout 20 lsr -l $listing >got
                echo "$1, $listing: => $?"
                cmp expected got
        done
        # libc is asked for this year.
        touch -d 2200-01-01 e/f
        TZ=$PWD/fifo timeout 20 lsr -l --time-style='+%F %T (%Z)' e | squeeze | cut -d' ' -f6-
        touch -d @0 e/f
}
zones 'nobody'
exec 9<>fifo
zones 'somebody'
exec 9>&-
# Times without a zone: what is unpacked gets them from libc.
python3 -c '
import zipfile
zipfile.ZipFile("z.zip", "w").writestr(zipfile.ZipInfo("f", (2001, 2, 3, 4, 5, 6)), "text")'
TZ=$PWD/fifo timeout 20 lsr --unpack z.zip
echo "unpacked => $?"
TZ=UTC lsr -lgG --time-style=full-iso $(find . -path './z*/f' -o -path ./f) | squeeze | cut -d' ' -f4-
# What belongs to a database.
python3 -c '
import sqlite3
c = sqlite3.connect("b.db")
c.execute("CREATE TABLE t (a)")
c.commit()'
for suffix in wal journal; do
        mkfifo b.db-$suffix
        timeout 20 lsr b.db
        echo "$suffix => $?"
        rm b.db-$suffix
done
# A bundle: nobody waits for one that is none.
timeout 20 lsr -1 fifo fifo/x
echo "=> $?"
timeout 20 lsr --check fifo
echo "=> $?"
