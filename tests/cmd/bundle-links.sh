# Links inside a bundle: followed inside it, coloured by what they lead to.
mkdir -p d/sub; echo x >d/sub/f; ln -s sub/f d/good; ln -s nowhere d/bad; ln -s sub d/dir; ln -s loop d/loop; ln d/sub/f d/hard
tar --sort=name -cf b.tar d
status lsr -F b.tar/d
status lsr b.tar/d/dir
status lsr b.tar/d/dir/f
status lsr -L b.tar/d
status lsr -l --time-style=+ -n b.tar/d | squeeze
LS_COLORS='ln=36:or=31:di=34' status lsr --color=always b.tar/d
# Those that leave the bundle are neither followed nor broken.
mkdir -p e/sub; ln -s /etc e/absolute; ln -s ../../.. e/sub/above; ln -s ../../e/sub/x e/sub/back; ln -s sub/above e/through
tar --sort=name -cf e.tar e
LS_COLORS='ln=36:or=31:mi=41:di=34:fi=33' status lsr -l --time-style=+ -nR --color=always e.tar/e
LS_COLORS='ln=target:or=31:di=34' status lsr --color=always e.tar/e
status lsr -F e.tar/e
status lsr -L e.tar/e
status lsr e.tar/e/absolute
status lsr e.tar/e/absolute/passwd
