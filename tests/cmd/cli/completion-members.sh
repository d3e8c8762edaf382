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
