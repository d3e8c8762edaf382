# engines: sync
# static:
# What is packed again is compressed on all cores, so that the process that decodes it starts no thread on two of them; where nothing is compressed it does.
mkdir d; python3 -c "import random; r = random.Random(1); open('d/f', 'wb').write(b''.join(b'%d\n' % r.randrange(10**9) for _ in range(5_000_000)))"
tar -czf big.tar.gz d; rm -r d
threads() {
        rm -f trace.*
        strace -ff -qq -e trace=clone,clone3,seccomp -o trace lsr --threads=2 --pack big.tar.gz "$@" 2>/dev/null
        cat $(grep -l 'seccomp(' trace.*) | grep -c 'CLONE_THREAD.*= [0-9]' || :
}
threads --output=x.tar.zst
[ "$(threads --output=x.tar)" -gt 0 ] && echo some
cmp <(zstd -dcq x.tar.zst) x.tar && echo the same
