# user:
# What an ordinary user may not read.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir -p d/no d/list d/yes; echo 1 >d/a; echo 2 >d/secret; echo 3 >d/no/x; echo 4 >d/list/x; echo 5 >d/yes/x
head -c 400000 /dev/zero >d/zeros; cp d/zeros d/more
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("d/socket")'
chmod 0 d/secret d/no d/more; chmod 400 d/list
pack d --output=x.tar; tar -tf x.tar
status lsr --pack d/no --output=y.tar; status lsr --pack d/list d/yes --output=y.tar; status lsr --pack d/secret --output=y.tar; ls
chmod 755 d/no d/list
mkdir closed; chmod 555 closed; pack d/yes --output=closed/x.tar
