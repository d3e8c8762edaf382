# Metadata that cannot be had: '?' for it, everything for the others, a line each.
mkdir d
for i in 01 02 03 04 05 06 07 08 09 10; do printf %5s >d/f$i; done
chmod 640 d/*
at 2020-02-02T02:02:02Z d/*
for spec in stat=EIO/3 stat=ENOENT/5 stat=EACCES/1; do
        echo "$spec"
        timeout 20 lsr -lgGsU --block-size=1 --io=fault:$LSR_IO:$spec d >out 2>err
        echo "=> $?"
        [ "$(grep -c '^ *?' out)" = "$(wc -l <err)" ] || echo "rows and messages differ in number"
        [ "$(grep -c '^ *?' out)" -gt 0 ] || echo "nothing failed"
        grep -E '^ *[0-9]+ ' out | sed -E 's/^ *[0-9]+ //; s/f[0-9]+$/f/' | sort | uniq -c | sed 's/^ *//'
        grep -E '^ *\?' out | sed -E 's/f[0-9]+$/f/' | sort | uniq -c | squeeze
        sed -E 's/f[0-9]+/f/' err | sort | uniq -c | squeeze
done
