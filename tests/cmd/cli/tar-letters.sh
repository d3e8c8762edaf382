# What tar and 7z take in front of an archive: the command that was meant is named.  As ls, nothing is added to what it says.
mkdir dir; echo 1 >dir/f; tar -czf a.tgz dir; tar -cf 'b c.tar' dir
for letters in xf xvf xzf tf tvf x t l; do status lsr $letters a.tgz; done
status lsr xf 'b c.tar' dir/f
status lsr cf new.tgz dir
status lsr czf new.tgz dir 'b c.tar'
status lsr cf new.tgz
# Other words and other files mean nothing.
status lsr xf dir
status lsr if a.tgz
status lsr xt a.tgz
status lsr xf
status lsr a.tgz xf
touch tf; status lsr tf a.tgz
(exec -a ls lsr xf a.tgz)
