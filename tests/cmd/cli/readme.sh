# engines: sync
# Every command that the README shows, of lsr and of the programs one comes from, runs and shows something.
mkdir -p dir/doc src/lib pkg/lib d/doc
echo text | tee dir/a.c dir/doc/b src/main.c src/lib/x.c pkg/lib/x d/doc/a.txt >/dev/null
tar -czf pkg.tar.gz pkg
tar -C d -czf x.tar.gz doc
(cd pkg && zip -qr ../pkg.zip .)
(cd d && zip -qr ../x.zip .)
7z a x.7z dir >/dev/null
sqlite3 app.db "create table users(id integer primary key, name); insert into users values(1, 'Ann')"
commands() { sed -n "/^## $1/,/^## /p" "$HELPERS/README.md"; }

commands 'Ten commands' | sed -n 's/^    \(lsr .*[^ ]\)   *[^ ].*/\1/p' | sed 's/   .*//' >ten
commands 'From other programs' | sed -n 's/^|.*| `\(lsr .*\)` |$/\1/p' >other
wc -l <ten
wc -l <other
# Servers are not at hand.
while read -r command; do
        [[ $command != *s3:* ]] || continue
        rm -rf out
        mkdir out
        case $command in
        'lsr --pack'*) rm -f dir.tar.zst ;;
        'lsr --unpack'*) command="$command --output=out" ;;
        esac
        # shellcheck disable=SC2086
        eval "$command" >shown 2>messages || echo "$command: exit status $?"
        case $command in
        'lsr --pack'*) [ -s dir.tar.zst ] ;;
        'lsr --unpack'*) [ "$(ls out)" ] ;;
        *) [ -s shown ] && [ ! -s messages ] ;;
        esac || { echo "$command: nothing to see"; cat messages; }
done < <(cat ten other)
