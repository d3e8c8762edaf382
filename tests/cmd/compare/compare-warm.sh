# engines: sync
# ring:
# static:
# The tree is read once before it is packed, also where ways cannot be traced, as under strace, and where only some of it is picked.
mkdir d; for i in 1 2 3 4 5; do echo $i >d/file$i; done
for options in "" --random=2; do
  strace -f -qq -e trace=openat,execve -o log lsr --compare d --runs=1 --formats=tar,zip $options >/dev/null
  # Who opens a file first: the command, which packs, or a way.
  python3 -c '
import re
first, opened = {}, set()
for line in open("log"):
    pid, call = line.split(None, 1)
    way = re.match(r"execve\(\"/proc/self/exe\", \[\"lsr-way\", \"([^\"]*)", call)
    first.setdefault(pid, "lsr")
    if way:
        first[pid] = way[1]
    file = re.search(r"\"(?:[^\"]*/)?(file\d)\"", call)
    if file and file[1] not in opened:
        opened.add(file[1])
        print(file[1], "opened by", first[pid])' | sort
done
