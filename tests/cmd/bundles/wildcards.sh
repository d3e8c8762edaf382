# Wildcards that the shell could not expand, as they lead into bundles: for listings, --cat and --unpack.
mkdir -p pkg/lib/deep pkg/.hid; for f in a.txt b.txt c.c 'we ird.txt' .dot.txt '[x].txt' x.txt; do echo "$f" >"pkg/lib/$f"; done; echo deep >pkg/lib/deep/a.txt
(cd pkg && zip -qrX ../pkg-1.0.zip . && tar -cf ../pkg-2.0.tar lib); tar -cf outer.tar pkg-1.0.zip pkg-2.0.tar; gzip -k pkg-2.0.tar; rm -r pkg; echo file >plain.txt; mkdir real; cp pkg-1.0.zip real/a.zip
lsr 'pkg-1.0.zip/lib/*.txt'
lsr -d 'pkg-2.0.tar.gz/*/*' 
echo "= more than one bundle, one in one, a bundle by itself"
lsr -d 'pkg*/lib/[ab].*'
lsr -d 'outer.tar/*.zip/lib/?.c' './real/*.zip/lib/a*' "$PWD/rea?/a.zip/l*b" | sed "s,$PWD,PWD,"
lsr -1 'real/*.zip/'
lsr -1d 'pkg-1.0.zip/lib/*/'
echo "= directories are listed, and what begins with a dot is asked for"
lsr 'pkg-1.0.zip/l*'
lsr -d 'pkg-1.0.zip/.h*' 'pkg-1.0.zip/lib/.*'
echo "= what there is is meant"
lsr 'pkg-1.0.zip/lib/[x].txt'
echo "= content"
lsr --cat 'pkg-*.tar.gz/lib/[ab].txt' 'pkg-1.0.zip/lib/deep/*'
lsr --unpack 'pkg-1.0.zip/lib/*.c' 'pkg-2.0.tar/*/deep' --output=out; find out | sort
echo "= nothing"
status lsr 'pkg-1.0.zip/lib/*.none'
status lsr '*.txt'
status lsr 'none*/x'
status lsr --cat 'pkg-1.0.zip/*.none'
status as_ls 'pkg-1.0.zip/lib/*.txt'
