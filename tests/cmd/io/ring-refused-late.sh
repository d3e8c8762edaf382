# engines: uring
# static:
# ring:
# The ring is made when it is first needed.  What was shown before is shown, and no other error is called a refusal.
mkdir -p top/a top/b/c
touch top/b/f top/b/c/f
inject() { strace -f -qq -o trace -e trace=io_uring_setup -e inject=io_uring_setup:error="$@"; }
status inject ENOMEM lsr -RF top
status inject ENOMEM:when=1 lsr -RF top
status inject EPERM lsr -R top
# A second ring, for more files, is not needed to go on.
mkdir many
(cd many && seq 1 1000 | xargs touch)
status inject ENOMEM:when=2+ lsr -l top many >out
grep -c ' root ' out
tail -1 out
grep -c io_uring_setup trace
