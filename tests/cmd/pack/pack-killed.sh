# engines: sync, uring
# Whenever it is killed, the old file is there or the new one, and nothing else; but between the two calls that replace it SIGKILL
# leaves the new one beside it.
mkdir d; for i in $(seq 50); do head -c 200000 /dev/urandom >d/$i; done
lsr --pack d --output=old.tar 2>/dev/null; cp old.tar x.tar; echo more >d/z
for signal in KILL INT TERM; do
        for i in $(seq 12); do
                lsr --pack d --output=x.tar --force 2>/dev/null &
                sleep 0.0$(printf %02d $i); kill -$signal $! 2>/dev/null; wait $!
                cmp -s x.tar old.tar || tar -tf x.tar d/z >/dev/null || echo broken
        done
        [ $signal != KILL ] || for left in .x.tar.*; do [ ! -e "$left" ] || tar -tf "$left" d/z >/dev/null || echo broken beside it; rm -f "$left"; done
done 2>/dev/null
ls -A | sort
# An interrupt is what it ends by, as shells want to know that wait for it.
python3 - <<P
import os, signal, subprocess, time
os.mkdir("many")
for i in range(300): open(f"many/{i}", "wb").write(os.urandom(100000))
seen = set()
for i in range(20):
    p = subprocess.Popen(["lsr", "--pack", "many", "--output=m.tar.zst", "--force", "--compression-level=19", "--threads=1"], stderr=subprocess.DEVNULL)
    time.sleep(0.15); p.send_signal(signal.SIGINT); seen.add(p.wait())
print(-2 in seen, seen <= {-2}, os.path.exists("m.tar.zst"))
P
