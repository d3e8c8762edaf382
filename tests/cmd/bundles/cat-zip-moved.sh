# engines: sync
# static:
# A member of many, without the others: neither the time nor the bytes that listing takes.
python3 -c "
import zipfile
with zipfile.ZipFile('many.zip', 'w') as z:
        for i in range(20000): z.writestr('d/%05d' % i, '%d' % i)"
lsr --cat many.zip/d/15000; echo
moved() { strace -f -qq -e trace=sendmsg -o trace lsr --cat "$@" >/dev/null && sed -n 's/.*= \([0-9]*\)$/\1/p' trace | awk '{ n += $1 } END { print (n > 100000 ? "much" : "little") }'; }
moved many.zip/d/15000; moved many.zip/d/15000 many.zip/d/15001
