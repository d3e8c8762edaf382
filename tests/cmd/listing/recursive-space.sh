# static:
# engines: sync
# What is read ahead takes no address space where that is limited: as much as is listed by one thread is listed by many.
unset LSR_IO
mkdir -p t/{1..110}/{a..e}
for d in t/*/*; do touch $d/{0..9}; done
lsr --io=sync -lR t >want
for limit in 20000 50000 100000 200000 800000 3200000; do
        (ulimit -v $limit; lsr -lR t) | cmp - want || echo $limit
done
echo compared
