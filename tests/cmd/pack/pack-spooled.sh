# A bundle that is made in a file first, and where it goes then: as any other.
mkdir d; echo 1 >d/f; head -c 1000000 /dev/urandom >d/g
pack() { lsr --pack d --bundle-format=sqlar --output=- "$@" 2>err; echo "=> $?" >&2; sed "/owners/d; s/ bytes in.*//" err >&2; }
pack >whole
echo before >f; pack >>f; tail -c +8 f | cmp - whole && echo the same
pack | cat | cmp - whole && echo the same
(pack 1<>f); cmp -n "$(stat -c %s whole)" f whole && echo the same
pack >/dev/full
pack >>/dev/full
pack >/dev/null
# Itself is not in it, and no terminal gets it.
pack >d/self; rm d/self
script -qec 'lsr --pack d --bundle-format=sqlar --output=-; echo "=> $?"' /dev/null | tr -d '\r'
