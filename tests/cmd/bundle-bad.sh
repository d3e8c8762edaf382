# What is intact is listed; one line says what is wrong.
mkdir d; for i in 1 2 3; do echo $i >d/f$i; done
tar --sort=name -cf b.tar d
head -c 1800 b.tar >cut.tar
status lsr -R cut.tar
gzip -nk b.tar
head -c 100 b.tar.gz >cut.tar.gz
status lsr cut.tar.gz 2>&1 | mask_numbers
: >empty; head -c 2000 /dev/zero >zeros
status lsr empty
status lsr zeros
status lsr -l missing.tar/x
echo text >notes.txt; gzip -n notes.txt
status lsr notes.txt.gz
