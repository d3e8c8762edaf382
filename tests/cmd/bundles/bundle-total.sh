# --total-size of directories in bundles, and of bundles that are operands, which are directories as well.
mkdir -p t/sub/deep; printf 12345 >t/a; printf 123 >t/sub/b; printf 4 >t/sub/deep/c
tar -cf t.tar -C t .; mkdir d; cp t.tar d/inner.tar; tar -cf o.tar d
at '2020-01-02 03:04' *.tar d/* d
total() { lsr -go --time-style=+T --total-size "$@" | sed -E '/^total/!s|^(\S+) +[0-9]+ |\1 |'; }
total t.tar/
total -d t.tar/
total -d t.tar/ t t.tar/sub o.tar/d o.tar/d/inner.tar/ o.tar/d/inner.tar/sub
total -a t.tar/sub
total --tree t.tar/
total --tree --bundles=always o.tar
lsr --json -d --total-size t.tar/ t | grep -o '"size":[0-9]*'
