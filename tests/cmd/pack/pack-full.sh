# root:
# A full disk, or a limit on sizes, ends packing, --cat and --unpack with one line; the old file stays, and nothing new.
mkdir d t; for i in 1 2 3 4 5 6; do head -c 300000 /dev/urandom >d/f$i; done; tar --sort=name -cf b.tar d
unshare -m bash -c '
        mount -t tmpfs -o size=1m tmpfs t || exit
        for format in tar.zst zip sqlar tar.gz; do
                echo old >t/x.$format
                lsr --pack d --output=t/x.$format --force; echo "=> $?"
                cat t/x.$format; ls -A t; rm t/*
        done
        lsr --cat b.tar/d/f1 b.tar/d/f2 b.tar/d/f3 b.tar/d/f4 d/f1 >t/content; echo "=> $?"
        lsr --pack d --output=- >t/piped; echo "=> $?"
        rm t/*; head -c 2000000 /dev/zero >t/fill 2>/dev/null
        lsr --pack d --output=t/x.zip; echo "=> $?"
        ls -A t
'
for limit in 100 600; do
        for format in tar.zst zip sqlar; do
                (ulimit -f $limit; trap '' XFSZ; echo old >x.$format; status lsr --pack d --output=x.$format --force; cat x.$format)
        done
        (ulimit -f $limit; trap '' XFSZ; lsr --cat b.tar/d/f1 b.tar/d/f2 b.tar/d/f3 >content; echo "=> $?"; status lsr --unpack b.tar --output=o; find o -type f | wc -l; rm -rf o)
done
# The limit as it is by default, where a signal comes with the error.
(ulimit -f 100; echo old >x.zip; status lsr --pack d --output=x.zip --force; cat x.zip; status lsr --unpack b.tar --output=o; find o -type f | wc -l; rm -rf o)
ls -A
