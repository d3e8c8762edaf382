# engines: sync
# Whatever it is doing, an interrupt ends it soon, and nothing is left behind.  What is being done would take minutes.
mkdir d; for i in 1 2 3 4; do head -c 12M /dev/urandom >d/$i; done
python3 - <<'P'
import os, signal, subprocess, time
for output, level in (("x.tar.xz", 9), ("x.tar.zst", 22), ("x.tar.bz2", 9), ("x.tar.gz", 12), ("x.zip", 12), ("x.sqlar", 12)):
    p = subprocess.Popen(["lsr", "--pack", "d", "--output=" + output, "--compression-level=%d" % level, "--threads=1"], stderr=subprocess.DEVNULL)
    time.sleep(0.7)
    running = p.poll() is None
    p.send_signal(signal.SIGINT)
    try:
        status = p.wait(5)
    except subprocess.TimeoutExpired:
        p.kill()
        status = "still running"
        p.wait()
    print(output, running, status, sorted(os.listdir(".")))
P
