# What has no checksum is read, and not called verified.
mkdir d; seq 5000 >d/one; echo content >d/two; head -c 3000 /dev/urandom >d/random; mkdir e; touch e/empty
tar -cf d.tar d; tar -cf e.tar e
sed 's/content/CONTENT/' d.tar >changed.tar
status lsr --check d.tar changed.tar e.tar
for z in gzip bzip2 xz lzma lz4 zstd; do $z -c <d.tar >d.tar.$z 2>said; done
xz -C none -c <d.tar >none.xz; zstd -q --no-check -c <d.tar >none.zst; lz4 -q --no-frame-crc -c <d.tar >none.lz4
status lsr --check d.tar.* none.*
(cd d && zip -q -0 ../stored.zip * && zip -q ../deflated.zip * && 7z a ../d.7z * >../said && ar r ../d.a one two 2>../said)
(find d | cpio -o -H crc >d.cpio; find d | cpio -o -H newc >new.cpio) 2>said
xorriso -as mkisofs -quiet -o d.iso d 2>said
{ lsr --pack --output=d.sqlar d; lsr --pack --output=d.tar.zst d; } >said 2>&1
sqlite3 d.db 'create table t(a); insert into t values(1)'
status lsr --check stored.zip deflated.zip d.7z d.a d.cpio new.cpio d.iso d.sqlar d.tar.zst d.db
# One changed byte of what is stored as it is: where a checksum is promised it is compared.
7z a -mx0 stored.7z d/two >said
for f in stored.zip stored.7z; do sed -i 's/content/CONTENT/' $f; lsr --check $f 2>said; echo "$f => $?"; done
