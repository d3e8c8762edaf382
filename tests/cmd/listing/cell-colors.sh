# engines: sync
# Sizes and times have colours on a terminal; elsewhere rows are those of GNU ls.  What --git shows has them with names.
export TERM=xterm
mkdir d; cd d
printf 1 >one; truncate -s 2K two; truncate -s 3M three; truncate -s 4G four; mkdir dir; ln -s one link
touch -d '-2 hours' one; touch -d '-3 days' two; touch -d '-50 days' three; touch -d '-3500 days' four
touch -h -d '-3500 days' dir link
seen() { script -qec "$*" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b/E/g'; }
seen lsr --columns=size,age,octal --titles
seen lsr -gG --time-style=+T
seen lsr -gG --time-style=+T --color=never
seen NO_COLOR=1 lsr --columns=size
seen LS_COLORS=no=32 lsr --columns=age one
seen "bash -c 'exec -a ls lsr -gG --color --time-style=+T one'"
seen lsr --tree --columns=size
lsr --columns=size --color=always | sed 's/\x1b/E/g'
lsr --columns=age --color=always one | sed 's/\x1b/E/g'
