# engines: sync, uring
# root:
# static:
# Each bundle is parsed by a process of its own, with what is nested in it, and few run at a time.  None of them has
# anything of the environment or of the operands in its memory.
mkdir d
head -c 200000 /dev/zero >d/m
tar -cf in.tar d
tar -cf operand-one.tar d in.tar
gzip -1kn operand-one.tar
for i in two three {10..29}; do cp operand-one.tar operand-$i.tar; done
# How many processes are confined, and how many at most are there at a time?
processes() {
        strace -f -qq -e trace=seccomp,%process -o trace lsr --no-cache "$@" >/dev/null
        awk '/seccomp\(SECCOMP_SET_MODE_FILTER/ { n++ }
             / (clone|vfork|fork)\(|<... (clone|vfork|fork) resumed>/ && / = [0-9]+$/ { if (++live > most) most = live }
             /\+\+\+ (exited|killed)/ { live-- }
             END { print n, most <= 14 ? "" : most }' trace
}
processes operand-one.tar
processes operand-one.tar/in.tar/d
processes -R --bundles=always operand-one.tar
processes operand-one.tar/in.tar/ operand-one.tar/d/
processes --check operand-one.tar
# From the second on one is ready ahead, and the last of these is for nothing.
processes operand-one.tar/ operand-two.tar/
processes --check operand-??.tar
# What is read of one waits for a socket, which stays as small as it is, while the other is there, too.
cat >look.py <<'EOF'
import os, re, socket, subprocess, sys, time
words = [b"the-secret-word", b"operand-"]
for command in (["--cat", "operand-one.tar/d/m"], ["--cat", "operand-one.tar.gz/d/m", "operand-two.tar/d/m", "operand-three.tar/in.tar/d/m"]):
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32768)
    child = subprocess.Popen(["lsr", *command], stdout=theirs, env={**os.environ, "LSR_TEST": "the-secret-word"})
    theirs.close()
    out = ours.fileno()
    left = 200000 * (len(command) - 1) - 150000
    while left > 0:
        left -= len(os.read(out, min(left, 65536)))
    time.sleep(0.3)
    with open(f"/proc/{child.pid}/task/{child.pid}/children") as f:
        pids = f.read().split()
    seen = 0
    for pid in [str(child.pid), *pids]:
        found = set()
        for name in ("environ", "cmdline"):
            with open(f"/proc/{pid}/{name}", "rb") as f:
                text = f.read()
            found |= {word for word in words if word in text}
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as mem:
            for line in maps:
                begin, end, mode = re.match("([0-9a-f]+)-([0-9a-f]+) (....)", line).groups()
                if mode[0] == "r" and "[v" not in line:
                    mem.seek(int(begin, 16))
                    text = mem.read(int(end, 16) - int(begin, 16))
                    seen += len(text)
                    found |= {word for word in words if word in text}
        if len(found) != (2 if pid == str(child.pid) else 0):
            print(command, "main" if pid == str(child.pid) else open(f"/proc/{pid}/cmdline").read(), found)
    print(len(pids), "processes looked at" if seen > 1000000 else "processes not looked at")
    while os.read(out, 65536):
        pass
    child.wait()
EOF
python3 look.py
