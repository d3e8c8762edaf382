# engines: sync
# The man page is clean, begins with what lsr is, and has every option of --help=all.
mandoc -T lint "$HELPERS/lsr.1"
mandoc -T ascii "$HELPERS/lsr.1" | sed 's|.\x08||g' >page
sed -n '2,5p' page
grep -c '^[A-Z]' page
grep '^[A-Z]' page | sed '1d;$d'
lsr --help=all | sed -n 's/^  \(-.\)\{0,1\},\{0,1\} *\(--[a-z-]*\)\{0,1\}.*/\1 \2/p' | tr ' ' '\n' | grep . | sort -u >options
grep -q -e --no-xattrs options || echo "no options found"
while read -r option; do
        grep -q -e "^ *\(-., \)\{0,1\}$option\([][ =,]\|$\)" page || echo "the page lacks $option"
done <options
