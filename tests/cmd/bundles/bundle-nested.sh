# Bundles inside bundles, through a range of the outer file and through a copy.
mkdir -p d/e; echo x >d/e/f
tar -cf in.tar d; tar -czf in.tgz d
tar -cf out.tar in.tar in.tgz; tar -czf out.tgz in.tar in.tgz
for outer in out.tar out.tgz; do
        status lsr $outer
        status lsr $outer/in.tar/d
        status lsr $outer/in.tgz/d/e/f
        status lsr -R --bundles=always $outer
done
status lsr out.tar/in.tar/d/e/f/g
cp in.tar n0.tar
for i in 1 2 3 4 5 6 7 8 9; do tar -cf n$i.tar n$((i - 1)).tar; done
status lsr n7.tar/n6.tar/n5.tar/n4.tar/n3.tar/n2.tar/n1.tar/n0.tar/
status lsr n8.tar/n7.tar/n6.tar/n5.tar/n4.tar/n3.tar/n2.tar/n1.tar/n0.tar/
