# engines: sync
# static:
# What the release is built with, which nothing that it prints would tell.  And its size, which nothing is bent for.
binary=$(readlink -f "$(command -v lsr)")
strip -o small "$binary"
size=$(stat -c %s small)
[ "$size" -le 8000000 ] || echo "$size bytes"
readelf -lW "$binary" | awk '$1 == "GNU_STACK" { print $1, $7 } $1 == "GNU_RELRO" { print $1 }'
readelf -lW "$binary" | grep -c ' RWE '
# What runs before main() runs for every listing: of libraries nothing but what the C library needs.
echo "$((16#$(readelf -SW "$binary" | awk '$2 == ".init_array" { print $6 }') / 8)) constructors"
# Of our own functions, not of libraries: canaries, and calls that know the size of what they write to.
objdump -d --no-show-raw-insn "$binary" | awk '
        /^[0-9a-f]+ </ { ours = $2 ~ /^<lsr_/ }
        ours && /<__stack_chk_fail/ { canaries++ }
        ours && /<__[a-z]*printf_chk/ { sizes++ }
        END { print (canaries >= 50 ? "canaries" : canaries " canaries"); print (sizes >= 3 ? "sizes" : sizes " sizes") }'
