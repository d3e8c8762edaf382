# Many attributes, in whatever order they were set: all come back, and the bundle is the same.
mkdir -p a/d b/d; echo x | tee a/d/f >b/d/f
for i in $(seq 10 49); do setfattr -n user.attribute-with-a-name-$i -v $i a/d/f; done
for i in $(seq 49 -1 10); do setfattr -n user.attribute-with-a-name-$i -v $i b/d/f; done
touch -d 2020-01-01 a/d/f b/d/f a/d b/d
for i in a b; do status lsr --pack $i/d --output=$i.tar.zst 2>&1 | sed 's/ bytes out, .*//'; done; cmp a.tar.zst b.tar.zst
status lsr --unpack a.tar.zst --output=o; getfattr -d o/d/f | sort >of; getfattr -d a/d/f | sort >af; diff <(sed s,o/d,a/d, of) af; wc -l <af
# Not asked for: neither they nor access control lists are stored, and nothing is said of either.
setfacl -m u:55:rwx a/d/f; status lsr --pack a/d --no-xattrs --output=n.tar.zst 2>&1 | sed 's/ bytes out, .*//'
lsr --unpack n.tar.zst --output=n; getfattr -dm- n/d/f; stat -c %a a/d/f n/d/f
# Links and special files may have some, too, which root alone sets.
if [ "$(id -u)" = 0 ]; then
        mkdir s; echo 1 >s/f; ln -s f s/l; mkfifo s/p
        for f in f l p; do setfattr -h -n trusted.$f -v of-$f s/$f; done
        lsr --pack s --output=s.tar.zst 2>/dev/null; lsr --unpack s.tar.zst --output=s2
        for f in f l p; do getfattr -h -m- -d s2/s/$f; done | grep -c '^trusted'
else
        echo 3
fi
