# engines: sync
# root:
# Ways are processes of this binary, which is found by /proc.
mkdir d; echo >d/file
unshare -m sh -c 'mount --make-rprivate / && umount -l /proc && exec lsr --compare d'
