# engines: sync
# However it ends, nothing is left: no scratch file, no process.
mkdir -p d t; for i in $(seq 400); do head -c 40000 /dev/urandom >d/$i; done
python3 - <<'P'
import os, signal, subprocess, time
os.environ["TMPDIR"] = os.path.abspath("t")
def ways():
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                if f.read().startswith(b"lsr-way\0") and os.readlink(f"/proc/{pid}/cwd") == os.getcwd():
                    found += 1
        except OSError:
            pass
    return found
for name, ends in (("SIGKILL", {-9}), ("SIGINT", {-2}), ("SIGTERM", {-15})):
    seen, left, busy = set(), 0, False
    for i in range(8):
        p = subprocess.Popen(["lsr", "--compare", "d", "--runs=1000"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.15 + 0.15 * i)
        busy = busy or any("deleted" in os.readlink(f"/proc/{p.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{p.pid}/fd"))
        p.send_signal(getattr(signal, name))
        seen.add(p.wait())
        for wait in range(50):
            if not ways():
                break
            time.sleep(0.1)
        left += ways() + len(os.listdir("t"))
    print(name, seen <= ends, busy, left)
P
ls -A
