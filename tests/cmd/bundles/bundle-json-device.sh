# A member lies on no device, also if it stands for one.
tar -cf b.tar -C / dev/null
lsr --json b.tar/dev | grep -o '"[a-z]*dev":"[^"]*"'
lsr --json --columns=mode b.tar/dev
