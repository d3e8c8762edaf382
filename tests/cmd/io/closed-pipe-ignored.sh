# Where SIGPIPE is ignored, each command says why it fails.
mkdir d
head -c 1000000 /dev/zero >d/x
tar -cf d.tar d
: >empty; tar -cf empty.tar empty
for command in "--cat d/x" "--cat d.tar/d/x" "--check d.tar" "--diff d.tar empty.tar" "--unpack -v d.tar --output=o" \
	"--pack --dry-run d" --help "-R d" "--tree d" "--json d" "--pack d --output=- --bundle-format=tar"; do
	python3 - $command <<'EOF'
import os, signal, subprocess, sys

signal.signal(signal.SIGPIPE, signal.SIG_IGN)
read, write = os.pipe()
os.close(read)
p = subprocess.run(["lsr", *sys.argv[1:]], stdout=write, restore_signals=False)
print(*sys.argv[1:], "=>", p.returncode, file=sys.stderr)
EOF
done
