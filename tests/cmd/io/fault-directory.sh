# Directories that cannot be opened or read; an interrupted read is repeated.
mkdir -p d/one d/two
touch d/a d/one/b d/two/c
for spec in open=EACCES/1 open=EACCES/2 dir=EIO/1 dir=EIO/2 dir=EINTR/2; do
        echo "$spec"
        timeout 20 lsr -R --io=fault:$LSR_IO:$spec d
        echo "=> $?"
done
