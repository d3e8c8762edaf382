# engines: sync,threads,uring
# root:
# static:
# Attributes where neither listxattrat(2) nor /proc is: kernels before 6.13 in a chroot, or while they start.  Sanitizers
# need /proc.
mkdir d d/dir
echo x >d/file
ln -s file d/link
mkfifo d/fifo
setfattr -n user.colour -v red d/file
setfacl -d -m u:65534:r d/dir
setfacl -m u:65534:r d/fifo
# hidden COMMAND...: where /proc is empty
hidden() { unshare -m sh -c 'mount -t tmpfs none /proc && exec "$0" "$@"' "$HELPERS/without" listxattrat "$@"; }
pack() { "$@" 2>said || cat said; }
pack lsr --pack d --output=want.tar
pack hidden lsr --pack d --output=got.tar
cmp want.tar got.tar && echo packed as with /proc
# The names of operands are below the directory in which lsr was started, also when it was elsewhere meanwhile.
ln -s "$(command -v lsr)" ls
./ls -l d d/dir d/file >want
hidden ./ls -l d d/dir d/file | cmp - want && echo listed as with /proc
cut -c-11 want
