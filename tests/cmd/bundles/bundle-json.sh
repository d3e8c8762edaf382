# What only bundles tell.
mkdir d; echo one >d/one; at '2020-01-02 03:04' d/one
tar --owner=alice:1000 --group=users:100 -P --transform='s,^d/,/../d/,' -cf b.tar d/one
status lsr --json -R b.tar
status lsr -l b.tar/d
