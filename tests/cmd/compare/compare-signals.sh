# engines: sync
# ring:
# A reader that reads no more does not keep it from ending.
mkdir d; echo 1 >d/1
python3 - <<'P'
import array, fcntl, os, signal, subprocess, termios, time
F_SETPIPE_SZ = 1031
for form in ("--json", "--html=-"):
    r, w = os.pipe()
    fcntl.fcntl(w, F_SETPIPE_SZ, 4096)
    p = subprocess.Popen(["lsr", "--compare", "d", "--runs=25", "--formats=", form], stdout=w)
    n = array.array("i", [0])
    while n[0] < 4096 and p.poll() is None:
        time.sleep(0.05)
        fcntl.ioctl(r, termios.FIONREAD, n)
    time.sleep(0.3)
    p.send_signal(signal.SIGTERM)
    try:
        print(form, n[0], p.wait(10))
    except subprocess.TimeoutExpired:
        p.kill()
        print(form, "does not end")
P
