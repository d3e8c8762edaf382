# Columns that have the same keys, and one that is named twice: no key comes twice.
touch -d '2020-02-29 12:34:56.5' f
lsr --json --columns=mode,octal,size,size,age,modified f
lsr --json --columns=age,octal f
