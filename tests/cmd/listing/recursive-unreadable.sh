# user:
# What cannot be opened or searched is told at its turn, also where others read before it.
mkdir t
for i in {10..60}; do mkdir -p t/$i/{a,b/c}; touch t/$i/{x,b/y}; done
chmod 0 t/15 t/33/b t/60
chmod 444 t/20 t/59/b
for o in -R -lR --tree; do
        lsr --io=sync $o t >want 2>&1
        echo "=> $?"
        for io in $LSR_IO auto threads; do
                lsr --io=$io $o t >got 2>&1
                echo "=> $?"
                lsr --io=$io $o t 2>&1 >/dev/null | cmp - <(lsr --io=sync $o t 2>&1 >/dev/null)
        done
done
chmod 755 t/15 t/33/b t/60 t/20 t/59/b
