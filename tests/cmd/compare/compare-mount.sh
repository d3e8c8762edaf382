# engines: sync
# root:
# On record are the options of the mount that the tree is on, not of another one of the same file system.
mkdir d seen; echo 1 >d/1
mount --bind d seen && mount -o remount,bind,ro,noatime seen || exit
lsr --compare seen --runs=1 --formats= | sed -n 's/^file system .*(\(ro,[a-z]*\).*/\1/p'
umount seen
# A file that no way can read has a name that is a formula: no field begins with it.
mkdir e; echo 1 >e/ok; : >e/=1+1; mount --bind /proc/self/mem e/=1+1
lsr --compare e --runs=1 --formats= --csv | grep -o '[^,]*1+1:'
lsr --compare e --runs=1 --formats= | grep -o '^.*1+1:'
umount e/=1+1
