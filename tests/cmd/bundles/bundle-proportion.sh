# engines: sync
# static:
# What a bundle takes in memory is in proportion to its size: a path implies directories, and names compress well.
unset LSR_IO
try() {
        peak=$("$HELPERS/peak-memory" out lsr --no-cache "$@")
        status=$?
        n=$(wc -l <out)
        echo "=> $status, $([ "$n" -gt 100 ] && echo many), $([ "$peak" -lt 180000000 ] && echo "little memory" || echo "$peak")"
}
slashes=$(printf '%0.s/' $(seq 1000))
deep=$(printf '/a%.0s' $(seq 3998))
echo "-- 3,000 paths of 4,000 directories"
"$HELPERS/tar-of" "{}$deep/f" 3000 | zstd -q -19 >deep.tar.zst
[ $(stat -c %s deep.tar.zst) -lt 20000 ] || stat -c %s deep.tar.zst
try deep.tar.zst
echo "-- 30,000 long names that are not what is listed"
"$HELPERS/tar-of" "$slashes$slashes$slashes$slashes$slashes{}" 30000 | zstd -q >long.tar.zst
try long.tar.zst
echo "-- in another bundle, twice"
cp deep.tar.zst again.tar.zst
tar -cf outer.tar deep.tar.zst again.tar.zst
zstd -q outer.tar
try outer.tar.zst/deep.tar.zst/ outer.tar.zst/again.tar.zst/
echo "-- 300,000 files, and 100,000 files with three directories each, are nothing out of the ordinary"
"$HELPERS/tar-of" 'f{}' 300000 | zstd -q >files.tar.zst
lsr --no-cache files.tar.zst | wc -l
"$HELPERS/tar-of" 'd{0}/e{0}/f{0}/file' 100000 | zstd -q >dirs.tar.zst
lsr --no-cache -R dirs.tar.zst | grep -c file
"$HELPERS/tar-of" 'f{}' 300000 | zstd -q | lsr - | wc -l
