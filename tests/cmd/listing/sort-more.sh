# Orders that GNU ls 9.1 does not have.
mkdir d n; cd d
touch f10 F2 f1 f02 f2 F10 g .h 10 9 009 a1b a1B
lsr --sort=natural; echo --; lsr --sort=nat -r; echo --; lsr --sort=name | head -3; lsr --sort=name -t | wc -l
lsr --sort=natural -a . | head -3
cd ../n
touch a b c d
lsr -i1 --sort=inode | sort -n | cmp - <(lsr -i1 --sort=inode) && echo by inode
lsr --sort=inode | sort | tr '\n' ' '; echo
[ "$(lsr --sort=inode -r | tac)" = "$(lsr --sort=inode)" ] && echo reversed
# A beginning that GNU ls takes is GNU's.
lsr --sort=n . >/dev/null && echo none
status lsr --sort=na
at '2020-01-01' a; at '2021-01-01' b
lsr --time=mtime a b; lsr --time=modification a b; lsr --time=m -g --time-style=+%Y a | cut -d ' ' -f 1,5-
status as_ls --sort=natural
status as_ls --time=mtime
