# engines: sync
# static:
# Standard input may be open for writing.  The process that parses is given a descriptor that is for reading alone.
mkdir d
touch d/f
tar -cf x.tar d
strace -f -o log -e trace=sendmsg,fcntl,openat lsr -R - <>x.tar
echo "handed over: $(grep -c 'cmsg_data=\[' log), standard input itself: $(grep -c 'cmsg_data=\[0\]' log)"
grep -o '"/proc/self/fd/0", [A-Z_|]*' log
# Opened for reading it is handed over as it is.
strace -f -o log -e trace=sendmsg,fcntl,openat lsr -R - <x.tar
echo "handed over: $(grep -c 'cmsg_data=\[' log), standard input itself: $(grep -c 'cmsg_data=\[0\]' log)"
