# engines: sync
# ring:
# What nohup or a shell has ignored from the beginning ends nothing.
mkdir d; head -c 3000000 /dev/urandom >d/1
python3 - <<'P'
import os, signal, subprocess, time

def ignore():
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)

numbers = (signal.SIGHUP, signal.SIGINT)
for command in ("--compare d --runs=40 --formats=tar", "--pack d --output=d.tar.xz", "--unpack d.tar.xz --output=o"):
    p = subprocess.Popen(["lsr", *command.split()], preexec_fn=ignore, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while p.poll() is None:
        time.sleep(0.02)
        for number in numbers:
            p.send_signal(number)
    print(command, p.wait())
P
cmp d/1 o/d/1
