# passwd, group and the zone that cannot be read, or half: numbers or names, never a failure.
touch a
ln -s a l
for spec in file=EIO/1 file=ENOENT/1 file=EIO/2 short/1 short/2; do
        echo "$spec"
        TZ=Europe/Berlin timeout 20 lsr -l --time-style=+%Y --io=fault:$LSR_IO:$spec >out
        echo "=> $?"
        wc -l <out
done
