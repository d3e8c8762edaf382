# engines: sync
# A directory that gives a name twice, as file systems in user space do: packed once, told, in every format.
mkdir -p d/s
echo two >d/s/two
for f in tar tar.zst tar.gz zip sqlar; do
        echo "-- $f"
        lsr --pack d --io=fault:sync:twice/1 --output=x.$f 2>&1 | grep -v 'bytes out'
        echo "status ${PIPESTATUS[0]}"
        lsr -R x.$f
        lsr --check x.$f
done
