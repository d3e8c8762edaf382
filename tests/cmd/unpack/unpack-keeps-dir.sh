# engines: sync
# static:
# A file that a directory is to replace stays if that cannot be made, and is replaced where names cannot be exchanged.
mkdir -p n/d; tar -cf n.tar n/d
replace() { mkdir -p r/n; echo "old d" >r/n/d; status "$@" lsr --unpack --force n.tar --output=r; (cd r/n; ls -AF); }
inject() { call=$1 error=$2; shift 2; strace -f -qq -o trace -e trace=$call -e inject=$call:error=$error "$@"; }
replace inject mkdirat ENOSPC:when=3+
cat r/n/d
replace inject renameat2 EINVAL
rmdir r/n/d
replace
