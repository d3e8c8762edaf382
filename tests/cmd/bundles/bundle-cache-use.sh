# engines: sync
# user:
# What is in the cache is used and not read again; whatever is wrong with the cache, the listing is the same.
mkdir d; head -c 3000000 /dev/urandom >d/big; echo x >d/small
tar -czf b.tgz d; sleep 3
bytes() { awk '/^bytes read/ { print ($3 > 1000000 ? "read" : "not read") }' stats; }
list() { XDG_CACHE_HOME=$PWD/$1 timeout 20 lsr -R1 --stats b.tgz >out 2>stats; echo "$1: => $?, $(xargs <out), $(bytes)"; grep ^lsr: stats; }
list miss; list miss
ls miss/lsr | wc -l; stat -c %a miss miss/lsr
# Neither side is asked.
XDG_CACHE_HOME=$PWD/miss lsr -R1 --stats --no-cache b.tgz 2>stats >out; bytes
# What a crash of the machine, another version, or somebody else's file leaves behind.
entry=$(basename miss/lsr/*)
for damage in empty short header tail version key garbage large directory link fifo; do
        mkdir -p $damage/lsr; cp miss/lsr/$entry $damage/lsr; f=$damage/lsr/$entry
        case $damage in
        empty) : >$f ;;
        short) truncate -s -1 $f ;;
        header) truncate -s 100 $f ;;
        tail) printf WXYZ | dd of=$f bs=1 seek=$(($(stat -c %s $f) - 4)) conv=notrunc status=none ;;
        version) printf '\377' | dd of=$f bs=1 seek=8 conv=notrunc status=none ;;
        key) printf '\377' | dd of=$f bs=1 seek=20 conv=notrunc status=none ;;
        garbage) head -c 5000 /dev/urandom >$f ;;
        large) truncate -s 8G $f ;;
        directory) rm $f; mkdir $f ;;
        fifo) rm $f; mkfifo $f ;;
        link) mv $f elsewhere; ln -s ../../elsewhere $f ;;
        esac
        list $damage
        [ $damage = directory ] || list $damage
        find $damage/lsr -name '*.*'
done
# Nowhere to write.
mkdir -p unwritable/lsr sealed; chmod 555 unwritable/lsr sealed; list unwritable; list unwritable; list sealed
: >file; list file
mkdir -p unreadable/lsr; chmod 0 unreadable/lsr; list unreadable
chmod 755 unwritable/lsr sealed unreadable/lsr
list ../../../../../../../usr
(unset HOME; XDG_CACHE_HOME=relative lsr -R1 b.tgz | xargs; ls -d relative 2>&1)
# The file changed: another listing, and one entry still.
tar -czf new.tgz d/small d/big; cat new.tgz >b.tgz; list miss; sleep 3; list miss; list miss
ls miss/lsr | wc -l
# Where others can write to it, nothing in it is believed, or put there.
cp -a miss shared; chmod 777 shared/lsr; list shared; list shared; :
