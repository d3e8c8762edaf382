# root:
# What the target already has shows in nothing that is new, and with --force it is as the bundle says.
mkdir -p d/e; echo x >d/f; echo y >d/e/g; chmod 640 d/f; chmod 750 d d/e; tar -cf b.tar d; tar -cf file.tar d/e/g
seen() { (cd "$1" && find . -mindepth 1 -printf '%P %y %m %U %G\n' | LC_ALL=C sort); rm -rf "$1"; }
echo "== directories that hand on their group, or a list"
mkdir o; chgrp 1234 o; chmod 2777 o; lsr --unpack b.tar --output=o; seen o
mkdir -p o/d/e; chgrp 1234 o/d/e; chmod 2770 o/d/e; lsr --unpack b.tar/d --output=o; seen o
mkdir o; setfacl -d -m u:55:r,g::-,o::- o; lsr --unpack b.tar --output=o; seen o
echo "== somebody else's"
mkdir -p o/d/e; chown 1234:1234 o/d o/d/e; chmod 700 o/d; lsr --unpack b.tar --output=o; seen o
mkdir -p o/d/e; chown 1234:1234 o/d o/d/e; chmod 700 o/d; lsr --unpack b.tar --output=o --force; seen o
echo "== of directories that the bundle does not store it says nothing"
mkdir -p o/d/e; chown 1234:1234 o/d o/d/e; chmod 700 o/d; at '2001-02-03' o/d; lsr --unpack file.tar --output=o --force; stat -c '%y' o/d; seen o
echo "== who may not give files away makes none with setuid"
chown 1234 d/f; chmod 6755 d/f; tar -cf s.tar d/f
status setpriv --bounding-set=-chown --inh-caps=-all lsr --unpack s.tar --output=o; seen o
