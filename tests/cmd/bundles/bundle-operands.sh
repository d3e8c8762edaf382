# Which operands that are bundles are listed as directories.
mkdir d; echo 1 >d/one; echo 22 >d/two; at '2020-01-02 03:04' d/* d
tar -cf b.tar d; cp b.tar c.tar; at '2020-01-02 03:04' *.tar
status lsr b.tar
status lsr b.tar c.tar
status lsr b.tar/ c.tar
status lsr b.tar/d
status lsr -ln b.tar/d/one
status lsr -d b.tar
status lsr -1d b.tar/d
status lsr --bundles=never b.tar
status lsr --bundles=always b.tar c.tar
status lsr b.tar/missing
status lsr b.tar/d/one/
status lsr --bundles=never b.tar/
status as_ls b.tar
status as_ls b.tar/
