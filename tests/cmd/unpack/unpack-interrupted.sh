# An interrupt ends unpacking whatever it waits for, here a pipe that nobody writes to; half a file is not left behind.
mkdir d; head -c 3M /dev/urandom >d/a; head -c 3M /dev/urandom >d/b; tar -cf x.tar d
python3 - <<'P'
import os, resource, signal, subprocess, time
data = open("x.tar", "rb").read()
for n in (0, 1000, 4000000):
    p = subprocess.Popen(["lsr", "--unpack", "-", "--output=o"], stdin=subprocess.PIPE)
    p.stdin.write(data[:n])
    p.stdin.flush()
    time.sleep(0.7)
    p.send_signal(signal.SIGINT)
    try:
        status = p.wait(10)
    except subprocess.TimeoutExpired:
        p.kill()
        status = "still running"
        p.wait()
    print(n, status, [name for _, _, names in os.walk("o") for name in names])
    p.stdin.close()
# In the middle of a file.
subprocess.run("head -c 6M /dev/urandom | base64 >d/a; tar --sort=name -cjf x.tar.bz2 d", shell=True)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGXCPU):
    p = subprocess.Popen(["lsr", "--unpack", "x.tar.bz2", "--output=half"])
    for _ in range(10000):
        if os.path.exists("half/d/a") or p.poll() is not None:
            break
        time.sleep(0.005)
    p.send_signal(number)
    print(p.wait(), os.listdir("half/d"))
P
