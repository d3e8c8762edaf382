# engines: sync
# needs: zsh fish zip
# A tab behind a path that leads into a bundle, in each shell.
mkdir -p lib/'two words' src .config 'a b'
touch lib/one 'lib/two words/x*y' src/main.c 'lib/*star'
zip -qr pkg.zip lib src; cp pkg.zip 'a b/p q.zip'; cp pkg.zip only.zip
# What the user has set for listings does not count.
mkdir .config/lsr; printf -- '-l\n--icons=always\n--color=always\n-r\n--total-size\n' >.config/lsr/config
for shell in bash zsh fish; do
        echo "-- $shell"
        "$HELPERS"/complete-in $shell pkg.zip/li pkg.zip/lib/o pkg.zip/lib/tw 'pkg.zip/lib/two\ words/x' 'a\ b/p\ q.zip/s' \
                '--cat pkg.zip/src/' '--unpack pkg.zip/s' '~/pkg.zip/src/m' onl pkg.zip/nothing --unpa
done | sed "s|$PWD|HOME|"
for shell in bash zsh; do "$HELPERS"/complete-in $shell 'pkg.zip/lib/\*'; done
"$HELPERS"/complete-in bash "'a b/p q.zip/lib/two"
# What would be run, or become another name, is quoted.
python3 - <<'PY'
import zipfile
with zipfile.ZipFile("names.zip", "w") as z:
    for i, name in enumerate(("`nproc`", "$HOME $(id)", "it's", 'a "b" \\ c', "x;!y&", "~z", "\x01tab\t", "twice `a", "twice `b")):
        z.writestr(f"{i}/{name}", "")
    z.writestr("8/twice `a", "")
PY
for i in 0 1 2 3 4 5 6; do "$HELPERS"/complete-in bash "names.zip/$i/" "'names.zip/$i/" "\"names.zip/$i/"; done | cat -v
"$HELPERS"/complete-in bash 'names.zip/8/t'
for shell in zsh fish; do "$HELPERS"/complete-in $shell names.zip/{0,1,2,3,4,5}/; done
