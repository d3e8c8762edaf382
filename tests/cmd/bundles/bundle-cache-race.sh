# engines: sync
# Many processes fill and read one cache.
export XDG_CACHE_HOME=$PWD/cache
mkdir d; head -c 3000000 /dev/urandom >d/big; (cd d && touch $(seq 500))
tar -czf b.tgz d; lsr --no-cache -R1 b.tgz >want; sleep 3
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        { lsr -R1 b.tgz >out$i 2>&1; echo "=> $?" >>out$i; } &
done
wait
for f in out*; do { cat want; echo "=> 0"; } | cmp - $f; done
ls cache/lsr | grep -c .; ls cache/lsr | grep -c '\.'
lsr -R1 b.tgz | cmp - want
