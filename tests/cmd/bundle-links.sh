# Links inside a bundle: followed inside it, coloured by what they lead to.
mkdir -p d/sub; echo x >d/sub/f; ln -s sub/f d/good; ln -s nowhere d/bad; ln -s sub d/dir; ln -s loop d/loop; ln d/sub/f d/hard
tar --sort=name -cf b.tar d
status lsr -F b.tar/d
status lsr b.tar/d/dir
status lsr b.tar/d/dir/f
status lsr -L b.tar/d
status lsr -l --time-style=+ -n b.tar/d | squeeze
LS_COLORS='ln=36:or=31:di=34' status lsr --color=always b.tar/d
