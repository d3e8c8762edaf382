# What --total-size cannot read is told, once, and what can be read is counted; as du has it.
mkdir top; cd top
mkdir -p a/shut a/open/shut a/names b c/deep/.hidden
echo 12345 >a/f; echo 123 >a/open/f; echo 1 >a/names/f; echo 1 >b/f
chmod 0 a/shut a/open/shut c/deep/.hidden; chmod 444 a/names
user() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
show() { (status user lsr --total-size --time-style=+ "$@" 2>&3 | grep -v '^total ') 3>../err; sort ../err; }
show -go
show -goa | grep -v ' \.\.$'
show -go a b
show -god a
show -go b
show --tree --level=1 a
echo "-- each directory tells what it cannot open, and the highest one what is in its total"
show -R a
chmod 755 a/shut a/open/shut c/deep/.hidden a/names
