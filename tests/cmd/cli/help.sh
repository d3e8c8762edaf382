# engines: sync
# --help fits a screen; =all has every option, and so has ls --help.
lsr --help
lsr --help | awk 'length > 80 { print "too wide" } END { if (NR > 24) print "too long" }'
lsr --help=all >all
grep -c '^  ' all
awk "length > 80" all
head -n 3 all
for option in --acl --quoting-style --no-xattrs --random -1; do
        grep -q -e "$option" all || echo "no $option"
done
as_ls --help | cmp - all
status as_ls --help=all
status lsr --help=some
lsr --pack --help | head -n 1
lsr --help=al | cmp - all
