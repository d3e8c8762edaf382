# engines: sync, uring
# static:
# Who parses has limits in proportion to the file.  A bomb runs into them, costs a message, and the rest is listed.
python3 - <<'EOF'
import io, tarfile
head = tarfile.TarInfo("zeros")
head.size = 64 << 30
with open("head", "wb") as f:
    f.write(head.tobuf(tarfile.GNU_FORMAT))
EOF
head -c 1G /dev/zero | zstd -q1 >part
zstd -q1 head -o bomb.tar.zst
for i in {1..64}; do cat part; done >>bomb.tar.zst
mkdir d
echo text >d/f
tar -cf good.tar d
tar -czf good.tar.gz d
(
        ulimit -S -t 2
        status lsr --no-cache -R good.tar/ bomb.tar.zst/ good.tar.gz/
        status lsr --check bomb.tar.zst good.tar
) 2>&1
status lsr --no-cache --limit=time=1 --limit=bytes-per-second=1G bomb.tar.zst/ good.tar/ 2>&1
# A process that has no more memory, and a library that gets none from it: the limit that would help is named.
python3 - <<'EOF'
import sqlite3
with sqlite3.connect("large.db") as db:
    db.execute("CREATE TABLE t(a)")
    db.execute("CREATE VIEW large AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM r LIMIT 9000)"
               " SELECT n, hex(zeroblob(10000)) AS v FROM r ORDER BY v, n")
EOF
status lsr --limit=memory=64M --limit=memory-per-byte=0 --limit=window=1M large.db/large good.tar 2>&1
# What they are, while the process waits for a pipe, which holds less than that.
head -c 3000000 /dev/zero >m
tar -cf small.tar m
cp small.tar large.tar
truncate -s 100M large.tar
cat >look.py <<'EOF'
import os, subprocess, time
raised = ["--limit=memory=100M", "--limit=memory-per-byte=0", "--limit=window=2M", "--limit=time=7s"]
for bundle, limits in ("small.tar", []), ("large.tar", []), ("small.tar", raised):
    child = subprocess.Popen(["lsr", "--cat", f"{bundle}/m", *limits], stdout=subprocess.PIPE)
    os.read(child.stdout.fileno(), 65536)
    time.sleep(0.3)
    with open(f"/proc/{child.pid}/task/{child.pid}/children") as f:
        pids = f.read().split()
    with open(f"/proc/{pids[0]}/limits") as f:
        for line in f:
            if line.startswith(("Max cpu", "Max data", "Max core", "Max open")):
                print(bundle, *line.split())
    child.stdout.read()
    child.wait()
EOF
python3 look.py
