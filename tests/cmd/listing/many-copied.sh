# Of a large directory names are copied out of the kernel's records, and what is asked of its files is waited for several
# times: 110,000 names, hard links to six files of different sizes, so that each row can be checked.
mkdir d
python3 - <<'END'
import os
for i in range(6):
    open(f"{i}", "wb").write(b"x" * i)
for i in range(110000):
    os.link(f"{i % 6}", f"d/{i:06d}-" + "n" * (i % 5 + 1))
END
lsr -l d >rows
awk 'NR > 1 && ($5 != int(substr($9, 1, 6)) % 6 || length($9) != 8 + int(substr($9, 1, 6)) % 5 || $9 <= last) { bad++ }
     { last = NR > 1 ? $9 : "" } END { print NR - 1, bad + 0 }' rows
lsr -1 d | cmp - <(awk 'NR > 1 { print $9 }' rows) && lsr -1U d | sort | cmp - <(lsr -1 d) && echo same
