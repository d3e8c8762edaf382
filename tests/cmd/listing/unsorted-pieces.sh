# Without an order a directory is shown as it is read: all names, one heading, and what came before an error.
mkdir d e k
(cd d && seq 1 20000 | xargs touch)
touch e/x
lsr -f d | sort | cmp - <({ echo .; echo ..; seq 1 20000; } | sort) && echo all
lsr -U1 --zero d | tr '\0' '\n' | sort -n | cmp - <(seq 1 20000) && echo all
lsr -U1 d e nowhere >out
echo "=> $?"
grep -c : out
sort out | cmp - <({ echo d:; seq 1 20000; echo; echo e:; echo x; } | sort) && echo all
lsr -f --io=fault:$LSR_IO:dir=EIO/3 d >out
echo "=> $?"
n=$(wc -l <out)
[ $n -gt 100 ] && [ $n -lt 20000 ] && echo some
# What more than names is asked for is there.
touch k/x; chmod +x k/x; ln -s x k/l; ln -s none k/broken
lsr -U1F k | sort
lsr -U1 --color=always k | sort | sed 's/\x1b/ESC/g'
lsr -U1p --group-directories-first . | grep -c /
