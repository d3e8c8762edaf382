# engines: sync
# The second listing of a large compressed tar comes from the cache, which may be damaged, stale or not writable.
export XDG_CACHE_HOME=$PWD/cache
mkdir d; head -c 3000000 /dev/urandom >d/big; echo x >d/small
tar -czf b.tgz d
lsr -R b.tgz
status test -e cache
at '2020-01-02 03:04' b.tgz; sleep 3
lsr -R --no-cache b.tgz >/dev/null
status test -e cache
# What may not become so large is not remembered, and listed all the same.
(ulimit -f 0; status lsr -R b.tgz) | cat; ls -A cache/lsr
lsr -R b.tgz >/dev/null
ls cache/lsr | wc -l; stat -c %a cache/lsr
status lsr -R b.tgz
for f in cache/lsr/*; do printf WXYZ | dd of=$f bs=1 seek=200 conv=notrunc status=none; done
status lsr -R b.tgz
chmod 555 cache/lsr
status lsr -R b.tgz
tar -czf b.tgz d/small
status lsr -R b.tgz
