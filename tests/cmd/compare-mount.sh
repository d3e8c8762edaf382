# engines: sync
# root:
# On record are the options of the mount that the tree is on, not of another one of the same file system.
mkdir d seen; echo 1 >d/1
mount --bind d seen && mount -o remount,bind,ro,noatime seen || exit
lsr --compare seen --runs=1 --formats= | sed -n 's/^file system .*(\(ro,[a-z]*\).*/\1/p'
umount seen
