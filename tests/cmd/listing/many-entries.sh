# Enough names for every engine's batches; nothing is lost, doubled or out of order.
mkdir d
(cd d && seq -w 1 3000 | xargs touch)
lsr d | cmp - <(seq -w 1 3000) && echo same
lsr -l d | tail -n +2 | wc -l
lsr -l d | awk 'NR > 1 { print $NF }' | cmp - <(seq -w 1 3000) && echo same
