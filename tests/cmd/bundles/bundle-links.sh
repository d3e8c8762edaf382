# Links inside a bundle: followed inside it, coloured by what they lead to.
mkdir -p d/sub; echo x >d/sub/f; ln -s sub/f d/good; ln -s nowhere d/bad; ln -s sub d/dir; ln -s loop d/loop; ln d/sub/f d/hard
tar --sort=name -cf b.tar d
status lsr -F b.tar/d
status lsr b.tar/d/dir
status lsr b.tar/d/dir/f
status lsr -L b.tar/d
# An operand that leads to no directory is listed itself, as if unpacked.
mkdir real; tar -xf b.tar -C real
for args in "" -H -L -F -l --color=always -i1d; do
        for name in good bad dir hard loop; do
                case $args in -i*) sed="s/^ *[0-9]* //" ;; *) sed= ;; esac
                (cd real; LS_COLORS='ln=36:or=31:di=34:ex=32:*f=33' lsr $args d/$name 2>&1 | sed "s/total.*//;$sed") >want
                LS_COLORS='ln=36:or=31:di=34:ex=32:*f=33' lsr $args b.tar/d/$name 2>&1 | sed "s/b\.tar.d/d/;s/total.*//;$sed" >got
                cmp -s want got || { echo "lsr $args d/$name"; diff want got; }
        done
done
status lsr -l --time-style=+ -n b.tar/d | squeeze
LS_COLORS='ln=36:or=31:di=34' status lsr --color=always b.tar/d
# -L: owners are those of the target; names alone are nobody's business.
tar --owner=ann:1001 --group=men:1002 -cf o.tar d/sub; tar --owner=bob:1003 --group=men:1002 -rf o.tar d/good
lsr -lL --time-style=+ o.tar/d | grep good
for args in -L -LF -LR; do
        diff <(cd real; lsr $args d 2>&1) <(lsr $args b.tar/d 2>&1 | sed 's/b\.tar.d/d/') || echo "lsr $args d"
done
# Those that leave the bundle are neither followed nor broken.
mkdir -p e/sub; ln -s /etc e/absolute; ln -s ../../.. e/sub/above; ln -s ../../e/sub/x e/sub/back; ln -s sub/above e/through
tar --sort=name -cf e.tar e
LS_COLORS='ln=36:or=31:mi=41:di=34:fi=33' status lsr -l --time-style=+ -nR --color=always e.tar/e
LS_COLORS='ln=target:or=31:di=34' status lsr --color=always e.tar/e
status lsr -F e.tar/e
status lsr -L e.tar/e
status lsr e.tar/e/absolute
status lsr e.tar/e/absolute/passwd
# As operands, with everything that is asked of the kernel elsewhere.
status lsr -lndF --acl --time-style=+ e.tar/e/absolute b.tar/d/bad b.tar/d/sub b.tar/d/good
status lsr -ln --acl --time-style=+ e.tar
status lsr -lZn --time-style=+ e.tar/e
