# engines: sync
# static:
# A bundle has its name only once it is on the disk and was read; that it has it is on the disk too.
mkdir d; echo x >d/f
calls() { strace -qq -e trace=fsync,linkat,rename,renameat "$@" 2>&1 >/dev/null | sed -E 's/\(.*= /() = /; /^(lsr|syscall)/d'; }
calls lsr --pack d --output=x.tar
echo == ; calls lsr --pack d --output=x.tar --force
