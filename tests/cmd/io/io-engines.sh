# engines: sync
# Chosen by name, every engine prints the same.  (Refused rings are another matter.)
mkdir d
(cd d && touch $(seq 1 200))
lsr -lU --io=sync d >one
for engine in threads auto; do
        lsr -lU --io=$engine d | cmp - one && echo "$engine: same"
done
