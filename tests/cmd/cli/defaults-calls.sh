# engines: sync
# static:
# One attempt to open it is all that it costs.
mkdir d
strace -f -qq -e trace=%file,read -o trace lsr -1 d >/dev/null; grep -c lsr/config trace
strace -f -qq -e trace=%file,read -o trace lsr --no-config -1 d >/dev/null; grep -c lsr/config trace
(export HOME= ; strace -f -qq -e trace=%file,read -o trace lsr -1 d >/dev/null; grep -c lsr/config trace)
