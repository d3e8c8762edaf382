# user:
# What an ordinary user may not make is named; all else is there, without setuid bits.
python3 "$HELPERS/bad-tar" b.tar c:null:1,3 b:disk:8,0 p:fifo f:f:1 d:d c:d/zero:1,5
status lsr --unpack b.tar --output=o
find o -mindepth 1 -printf '%P %y %m\n' | sort
# Nor does --force give up what is there for what cannot be made.
mkdir k; echo old >k/null; echo old >k/fifo
status lsr --unpack --force b.tar --output=k
cat k/null; find k -mindepth 1 -printf '%P %y\n' | sort
mkdir ro; chmod 555 ro
status lsr --unpack b.tar --output=ro
status lsr --unpack b.tar --output=ro/below
status lsr --unpack b.tar --output=no/such
status lsr --unpack b.tar --output=b.tar
mkdir s; echo x >s/f; chmod 6755 s/f; tar -cf s.tar s; chmod 0 s/f; rm -rf s
status lsr --unpack s.tar/s/f; stat -c '%a %s' f
