# engines: sync, uring
# static:
# Where the kernel refuses to confine the process that parses, bundles are read all the same, and that is told; or
# they are not read, if that is asked for.
mkdir d files
echo text >d/f
tar -cf x.tar d
touch files/a
lsr -R --stats x.tar 2>err
grep '^parser' err
lsr --stats files 2>err
grep '^parser' err
for what in seccomp seccomp-allowed prctl; do
        echo "-- $what"
        status "$HELPERS/without" $what lsr -R --stats x.tar 2>err
        grep '^parser' err
        status "$HELPERS/without" $what lsr --confine=required x.tar/ files
done
echo "-- the environment, which an option overrules; and other commands"
export LSR_CONFINE=required
status "$HELPERS/without" seccomp lsr x.tar/d
status "$HELPERS/without" seccomp lsr --confine=auto x.tar/d
status "$HELPERS/without" seccomp lsr --cat x.tar/d/f
status "$HELPERS/without" seccomp lsr --check x.tar
status "$HELPERS/without" seccomp lsr --unpack x.tar --output=out
status "$HELPERS/without" seccomp lsr -R - <x.tar
status lsr --cat x.tar/d/f
LSR_CONFINE=requird status lsr files
status lsr --confine=never files
unset LSR_CONFINE
echo "-- a terminal is told, once"
cat >run <<'EOF'
cp x.tar y.tar
"$HELPERS/without" seccomp lsr x.tar/ y.tar/ >/dev/null
"$HELPERS/without" seccomp lsr --cat x.tar/d/f >/dev/null
"$HELPERS/without" seccomp lsr files >/dev/null
lsr x.tar >/dev/null
EOF
script -qec 'bash run' /dev/null </dev/null | tr -d '\r'
