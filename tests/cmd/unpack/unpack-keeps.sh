# What --force replaces stays until what replaces it is complete: not for a file that is damaged is an old one given up.
python3 - <<'P'
import zipfile
with zipfile.ZipFile("x.zip", "w") as z:
    z.writestr("a", "new a\n")
    z.writestr("b", "new b\n")
data = bytearray(open("x.zip", "rb").read())
data[data.index(b"new a")] ^= 1
open("x.zip", "wb").write(data)
P
mkdir -p o/dir; echo "old a" >o/a; echo "old b" >o/b; ln o/b o/other; chmod 600 o/b
status lsr --unpack --force x.zip --output=o
cat o/a o/b o/other; stat -c '%a %h' o/b; ls -A o
# A directory is not replaced by a file, a symbolic link is, and not what it leads to.
printf 'd\n' >d; tar -cf d.tar d
mkdir -p p/d; status lsr --unpack --force d.tar --output=p; ls -A p
mkdir q; echo target >q/target; ln -s target q/d; status lsr --unpack --force d.tar --output=q; cat q/d q/target; ls -A q
