# Directories are read before their turn: what is shown and said, and the exit status, stay those of one after the other.
mkdir t
for i in {10..60}; do mkdir -p t/$i/{a,b/c,d}; touch t/$i/{x,y,b/c/z}; done
(cd t/40 && touch $(seq 1 3000)) # too many to hold
(cd t/41/a && mkdir $(seq 1 300))
ln -s .. t/30/b/loop
ln -s nowhere t/20/broken
python3 - <<P
import os
os.chdir("t/50")
for i in range(20): # longer than PATH_MAX in the end
    os.mkdir("d" * 250); os.chdir("d" * 250)
P
same() {
        lsr --io=sync "$@" >want 2>wanted
        local s=$? io
        for io in $LSR_IO auto threads; do
                timeout 50 lsr --io=$io "$@" >got 2>said
                [ $? = $s ] && cmp want got && cmp wanted said || echo "differs: $io $*"
        done
        echo "$s $*"
}
same -R t
same -lR t
same -RL t
same -RLl --color=always t
same -RSr --json t
same --tree -a t
same --tree -L t
same --tree --level=3 t
same -R --level=2 t
same -lR --total-size t/10 t/41
same -l t/*
same -R t/30 t/40 nowhere t/20 t/30/x
same -R -w 40 -C --sort=width t
