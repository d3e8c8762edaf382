# root:
# What surely has no room is refused before the work: without compression a tree takes what it takes, but for holes and further names.
mkdir d t; for i in 1 2 3 4 5 6; do head -c 300000 /dev/urandom >d/f$i; done
mkdir h; truncate -s 5M h/hole; head -c 300000 /dev/urandom >h/f; for i in $(seq 20); do ln h/f h/$i; done
unshare -m bash -c '
        mount -t tmpfs -o size=1m tmpfs t || exit
        lsr --pack d --output=t/x.tar 2>&1 | sed "s/ and .* are free/ and N are free/"; echo "=> ${PIPESTATUS[0]}"
        ls -A t
        lsr --pack d --exclude="f[1-4]" --output=t/x.tar 2>/dev/null; echo "=> $?"; ls t; rm t/*
        lsr --pack h --output=t/x.tar 2>/dev/null; echo "=> $?"; ls t
'
