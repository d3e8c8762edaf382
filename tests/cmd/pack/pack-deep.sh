# Deeper than there may be open files, with files to come back to.
pack() { lsr --pack "$@" 2>&1 | sed -E 's/[0-9,]+ bytes out, [0-9.]+ s$/N bytes out, N s/'; echo "=> ${PIPESTATUS[0]}"; }
mkdir t; cd t
python3 - <<P
import os
for i in range(400):
    os.mkdir("d"); open("z", "w").write(str(i)); open("e", "w").write(str(-i)); os.chdir("d")
P
cd ..
(ulimit -n 48; pack t --output=x.tar)
tar -tf x.tar | wc -l; mkdir o; tar -xf x.tar -C o
status diff -r t o/t
mkdir w; for i in $(seq 300); do mkdir w/$i; echo $i >w/$i/f; done
(ulimit -n 48; pack w --output=w.tar)
tar -xf w.tar -C o; status diff -r w o/w
