# root:
# engines: sync uring
# With standard input, output or error closed nothing that is said or shown goes into a file or to the worker.
mkdir -p t/sub
echo one >t/one
echo two >t/sub/two
mkfifo t/fifo # which some formats cannot store, and that is said
for set in '<&-' '>&-' '2>&-' '<&- >&-' '<&- 2>&-' '>&- 2>&-' '<&- >&- 2>&-'; do
        for format in tar tar.gz tar.zst tar.xz zip sqlar; do
                rm -f q.$format
                eval "lsr --pack t --force --output=q.$format $set" 2>said
                [ "$(stat -c %s q.$format)" = "$(lsr --pack t --force --output=- --bundle-format=$format 2>said | wc -c)" ] ||
                        echo "$set: q.$format is larger"
                lsr --check q.$format >said 2>&1 || echo "$set: $(cat said)"
        done
        rm -rf out
        mkdir -p out/t
        mkfifo out/t/fifo # in the way, which is said
        eval "lsr --unpack q.tar q.zip --output=out $set" 2>said
        echo "$set: $? $(cat out/t/one out/t/sub/two | tr '\n' ' ')"
        eval "lsr --check q.tar t missing q.tar.zst $set" >said 2>&1
        echo "$set: check $?"
        eval "lsr --no-cache -l q.zip/ missing q.tar.gz/ $set" >said 2>&1
        echo "$set: list $?"
done
