# Files that shrink, grow, vanish and become something else while they are packed: named, exit 1, and what is packed is valid.
python3 - <<'P'
import os, random, subprocess, threading

os.mkdir("d")
for i in range(40):
    with open(f"d/large{i:02}", "wb") as f:
        f.write(b"%02d" % i * 150000)
    with open(f"d/small{i:02}", "wb") as f:
        f.write(b"%02d" % i * 500)
stop = threading.Event()


def change():
    rng = random.Random(1)
    while not stop.is_set():
        i = rng.randrange(40)
        for name, n in (f"d/large{i:02}", 150000), (f"d/small{i:02}", 500):
            try:
                how = rng.randrange(5)
                if how == 0:
                    os.truncate(name, rng.randrange(n))
                elif how == 1:
                    with open(name, "ab") as f:
                        f.write(b"%02d" % i * n)
                elif how == 2:
                    os.unlink(name)
                elif how == 3:
                    os.unlink(name)
                    os.symlink("/nonexistent/x", name)
                else:
                    if os.path.islink(name):
                        os.unlink(name)
                    with open(name, "wb") as f:
                        f.write(b"%02d" % i * n)
            except FileNotFoundError:
                pass


def right(name, data):
    """What was written there, or zeros where it was no longer."""
    number = name[-2:].encode()
    return not data.replace(b"\0", b"").strip(number) or data.replace(b"\0", b"")[::2].strip(number[:1]) == b""


thread = threading.Thread(target=change)
thread.start()
told = 0
for turn in range(12):
    name = "x." + ("tar.zst", "zip", "sqlar", "tar")[turn % 4]
    done = subprocess.run(["lsr", "--pack", "d", "--force", f"--output={name}"], capture_output=True)
    told += done.returncode == 1
    if done.returncode not in (0, 1) or (done.returncode == 1) != (done.stderr.count(b"\n") > 1 + done.stderr.count(b"cannot store")):
        print(name, done)
    checked = subprocess.run(["lsr", "--check", name], capture_output=True)
    if checked.returncode:
        print(name, checked, done)
    subprocess.run(["rm", "-rf", "o"])
    subprocess.run(["lsr", "--unpack", name, "--output=o"], check=True)
    for member in os.listdir("o/d"):
        if not os.path.islink("o/d/" + member) and not right(member, open("o/d/" + member, "rb").read()):
            print(name, member, "has content that was never there")
stop.set()
thread.join()
print("told" if told else "nothing happened")
P
