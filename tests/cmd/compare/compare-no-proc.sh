# engines: sync
# root:
# static:
# Ways are processes of this binary, which is found by /proc.  A leak check would need it too: not under sanitizers.
mkdir d; echo >d/file
unshare -m sh -c 'mount --make-rprivate / && umount -l /proc && exec lsr --compare d'
