# engines: sync
# static:
# The process that parses is told a password by its socket: it is in the environment of lsr alone, and in no arguments.
echo secret >a; zip -q -X -P verysecret z.zip a; echo verysecret >file
LSR_PASSWORD=verysecret strace -f -v -s 9999 -e trace=execve,execveat -o trace lsr --cat z.zip/a
grep -c verysecret trace; grep -c 'exec.* = 0' trace
strace -f -v -s 9999 -e trace=execve,execveat -o trace lsr --password-file=file --cat z.zip/a
grep -c verysecret trace
