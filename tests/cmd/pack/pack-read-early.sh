# engines: sync
# static:
# What is large is read back while it is written, all of it and from the file; with one thread afterwards.
mkdir d; python3 -c "open('d/f', 'wb').write(__import__('random').Random(1).randbytes(40_000_000))"
reads() {
        strace -f -qq -y -e trace=pread64,read,write,linkat -o trace lsr --pack d "$@" 2>/dev/null
        python3 - <<'PY'
import re
wrote = read = early = 0
pending = {}
for line in open("trace"):
    task, _, line = line.strip().partition(" ")
    line = line.strip()
    if line.startswith("linkat("):
        break
    if line.endswith("<unfinished ...>"):
        pending[task] = line
        continue
    if line.startswith("<..."):
        line = pending.pop(task, "") + line
    found = re.match(r"(write|read|pread64)\(\d+<[^>]*/#\d+.* = (\d+)$", line)
    if found and found[1] == "write":
        wrote += int(found[2])
        early = read
    elif found:
        read += int(found[2])
print("all" if read >= wrote else f"{read} of {wrote}", "read back,", "some" if early else "none", "while it was written")
PY
}
reads --output=x.tar --threads=2
reads --output=y.tar --threads=1
reads --output=x.tar.zst --threads=2
cmp x.tar y.tar
lsr --check x.tar x.tar.zst
