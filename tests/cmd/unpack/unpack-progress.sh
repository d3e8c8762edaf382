# On a terminal a line says how far it is after the first second, and a last one what came of it; elsewhere nothing does.
mkdir d; head -c 3000000 /dev/zero >d/big; seq 1 1000 >d/f; tar -cf a.tar d
lsr --unpack a.tar -C o 2>&1 | wc -c; lsr --check a.tar
script -qec 'lsr --unpack a.tar -C p; lsr --unpack a.tar -C p' /dev/null | tr -d '\r' | sed -E 's/[0-9.]+ s$/N s/; /not confined/d'
# A bundle that comes slowly.
echo '(head -c 1500000 a.tar; sleep 1.2; tail -c +1500001 a.tar) | lsr "$@"' >slow
seen() { tr '\r' '\n' | sed -E 's/\x1b\[K//g; s/[0-9.]+ s$/N s/; s/[0-9]+ files, [0-9.]+ MB, [0-9]+ MB/N files, N MB, N MB/' | grep -v '^$\|not confined' | uniq; }
script -qec 'bash slow --unpack - -C q' /dev/null | seen; cmp d/big q/d/big
script -qec 'bash slow --unpack - -C r -v' /dev/null | seen
script -qec 'bash slow --check -' /dev/null | seen
bash slow --check - 2>&1
