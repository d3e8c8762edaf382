# engines: sync
# static:
# Where memory is short that costs the bundle which wanted it, which is named, and not what else is to be listed.
unset LSR_IO
"$HELPERS/tar-of" 'f{}' 300000 >m.tar
"$HELPERS/tar-of" 'inner' 1 >n.tar
for limit in 16000 20000 25000 30000 35000 40000 45000 50000 60000 70000 80000 90000 100000 120000 150000 1000000; do
        for view in -1 -l --json; do
                (ulimit -v $limit && lsr --no-cache $view m.tar/ n.tar/ >out 2>err)
                result=$?
                rows=$(grep -c '\bf[0-9]' out)
                next=$(grep -c '\binner\b' out)
                case $result,$rows,$next,$(grep -c "'m.tar" err) in
                0,300000,1,0) echo "all" ;;
                1,*,1,[1-9]) echo "told, and the next one listed" ;;
                *) echo "$limit $view: status $result, $rows rows, $next of the next; $(cat err)" ;;
                esac
        done
        (ulimit -v $limit && lsr --no-cache --check m.tar n.tar >out 2>err)
        case $?,$(grep -c '^n.tar: 1 member' out),$(grep -c "'m.tar" err),$(grep -c '^m.tar: .* all verified' out) in
        0,1,0,1) echo "all of it verified" ;;
        1,1,[1-9]*,0) echo "told, and the next one verified" ;;
        *) echo "$limit --check: $(cat out err)" ;;
        esac
done | sort -u
