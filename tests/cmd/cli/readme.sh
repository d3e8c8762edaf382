# engines: sync
# Every command that the README shows, of lsr and of the programs one comes from, runs and shows something.
mkdir -p dir/doc src/lib pkg/lib d/doc
echo text | tee dir/a.c dir/doc/b src/main.c src/lib/x.c pkg/lib/x d/doc/a.txt >/dev/null
tar -czf pkg.tar.gz pkg
tar -C d -czf x.tar.gz doc
(cd pkg && zip -qr ../pkg.zip .)
(cd d && zip -qr ../x.zip .)
7z a x.7z dir >/dev/null
tar -cf dir.tar dir; cp -r dir old; cp -r dir new; echo more >>new/a.c
sqlite3 app.db "create table users(id integer primary key, name); insert into users values(1, 'Ann')"
commands() { sed -n "/^## $1/,/^## /p" "$HELPERS/README.md"; }

commands 'Ten commands' | sed -n 's/^    \(lsr .*[^ ]\)   *[^ ].*/\1/p' | sed 's/   .*//' >ten
commands 'From other programs' | sed -n 's/^|.*[^\\]| `\(lsr .*\)` |$/\1/p' | sed 's/`, `/\n/g' >other
wc -l <ten
wc -l <other
# Servers are not at hand.
while read -r command; do
        [[ $command != *s3:* ]] || continue
        rm -rf out
        mkdir out
        status=0
        case $command in
        *--output=*) made=${command##*--output=}; rm -f "$made" ;;
        'lsr --pack'*) made=dir.tar.zst; rm -f $made ;;
        'lsr --unpack'*' -C out'*) ;;
        'lsr --unpack'*) command="$command --output=out" ;;
        # As diff.
        'lsr --diff'*old*) status=1 ;;
        esac
        # shellcheck disable=SC2086
        eval "$command" >shown 2>messages
        got=$?
        [ $got = $status ] || echo "$command: exit status $got"
        case $command in
        'lsr --pack'*) [ -s $made ] ;;
        'lsr --unpack'*) [ "$(ls out)" ] ;;
        # Packed as it is.
        'lsr --diff'*tar) [ ! -s shown ] && [ ! -s messages ] ;;
        *) [ -s shown ] && [ ! -s messages ] ;;
        esac || { echo "$command: nothing to see"; cat messages; }
done < <(cat ten other)
