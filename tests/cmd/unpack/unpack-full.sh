# root:
# A full disk ends it with one line, and no half of a file is left.
mkdir d t; for i in 1 2 3 4 5 6; do head -c 300000 /dev/zero | tr '\0' x >d/f$i; done; tar --sort=name -czf b.tgz d
unshare -m bash -c '
        mount -t tmpfs -o size=1m tmpfs t || exit
        lsr --unpack b.tgz --output=t; echo "=> $?"
        find t -type f -printf "%P %s\n" | sort
        rm -rf t/*; mount -o remount,ro t
        lsr --unpack b.tgz --output=t; echo "=> $?"
'
