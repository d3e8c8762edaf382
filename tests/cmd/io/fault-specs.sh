# engines: sync
for spec in nope sync:stat sync:stat=EIO sync:stat=EWHAT/1 sync:stat=EIO/0 sync:stat=EIO/1, auto:stat=EIO/1; do
        status lsr --io=fault:$spec
done
status lsr --io=nope
LSR_IO=bogus status lsr
