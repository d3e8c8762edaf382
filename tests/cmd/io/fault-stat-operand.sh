# An operand whose metadata fails is serious: status 2, and not listed.
touch a b c
timeout 20 lsr -d --io=fault:$LSR_IO:stat=EIO/2 a b c
echo "=> $?"
timeout 20 lsr -d --io=fault:$LSR_IO:stat=ENOMEM/1 a
echo "=> $?"
