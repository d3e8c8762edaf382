# static:
# One directory of an indexed bundle, or one member: only that is sent.  What is asked beyond is had from the whole.
mkdir -p t/a/sub/deep t/b t/c
echo one >t/a/one; echo two >t/a/sub/two; echo three >t/a/sub/deep/three; echo x >t/c/x; ln t/c/x t/c/hard; ln t/a/one t/b/first
ln -s sub t/a/dir; ln -s one t/a/near; ln -s ../c/x t/a/far; ln -s no t/a/broken; ln -s /etc t/a/out
for i in {1..3000}; do echo $i >t/b/a-name-of-some-length-$i; done
lsr --pack t >/dev/null 2>&1; zstd -qdc t.tar.zst >t.tar
mkdir -p n/m/in; cp -r t/a n/m/in; seq 2000 | sed s/^/long-/ | (cd n; xargs touch); (cd n/m; zip -qry in.zip in); lsr --pack n >/dev/null 2>&1; zstd -qdc n.tar.zst >n.tar
LS_COLORS='ln=target:or=31:mi=41:di=34:fi=33:ex=32:mh=35'; export LS_COLORS
summary='s/^(total .*)\((lsr1|tar), (.* members), .*/\1\3/'
same() { lsr --no-cache "$@" >got 2>&1; echo $? >>got; sed -Ei "$summary" got; lsr --no-cache "${@//.tar.zst/.tar}" 2>&1 |  sed -E "$summary; s/([tn])\.tar/\1.tar.zst/g" >want; cmp <(head -n -1 got) want || { echo "$@"; diff got want | head; }; }
for at in "" /t /t/a /t/a/ /t/a/sub /t/a/sub/deep /t/c /t/a/dir /t/a/dir/ /t/a/one /t/c/hard /t/a/far /t/a/broken /t/no /t/a/one/x /t/./a /t/a/../c //t//a; do
        for how in -lai -1 -F "-la --color=always" -laL -ldi -lH --json; do
                [ "$how$at" = -ldi ] || same $how t.tar.zst$at
        done
done
for how in -l -R -lL "--tree -F" "-l --total-size" "-l --color=always" -li; do
        same $how t.tar.zst/t/a t.tar.zst/t/c
        same $how t.tar.zst/t/a/sub/deep t.tar.zst/t/a
        same $how t.tar.zst/t/a t.tar.zst/t/a/sub
        same $how t.tar.zst/t/a/one t.tar.zst/t/a t.tar.zst/t/a/sub/two
        same $how t.tar.zst/t/a/sub/deep t.tar.zst/t/no t.tar.zst/t
done
for at in /n/m /n/m/in.zip /n/m/in.zip/ /n/m/in.zip/in/a /n/m/in.zip/../in/a /n/m/in.zip/in/no; do
        for how in -lai -laL -lR; do
                same $how n.tar.zst$at
        done
done
lsr --cat n.tar.zst/n/m/in.zip/in/a/sub/two n.tar.zst/n/m/in.zip/in/a/one/x
lsr --cat t.tar.zst/t/a/one t.tar.zst/t/c/hard t.tar.zst/t/a/far t.tar.zst/t/a/sub/two t.tar.zst/t/b/first t.tar.zst/t/a/dir/deep/three
status lsr --cat t.tar.zst/t/a/no t.tar.zst/t/a/one/x t.tar.zst/t/a t.tar.zst/t/a/broken
# What came of it: bytes in the longest answer.
sent() { strace -f -e trace=sendmsg -o trace "$@" >/dev/null 2>&1; sed -nE 's/^[0-9]+ +.*sendmsg.* = ([0-9]+)$/\1/p' trace | sort -n | tail -n 1; }
for args in "-l t.tar.zst/t/a" "-la --color=never t.tar.zst" "-l t.tar.zst/t/a/one" "--cat t.tar.zst/t/a/one" "n.tar.zst/n/m/in.zip/in/a" \
        "--cat t.tar.zst/t/a/one t.tar.zst/t/a/sub/two" "-li t.tar.zst/t/a t.tar.zst/t/a/sub t.tar.zst/t/a/one"; do
        [ $(sent lsr --no-cache $args) -lt 3000 ] || echo "much is sent: $args"
done
for args in "-lR t.tar.zst/t/a" "-l t.tar.zst/t/b" "-l --color=always t.tar.zst/t/a" "-l t.tar.zst/t/c"; do
        [ $(sent lsr --no-cache $args) -gt 60000 ] || echo "less than all is sent: $args"
done
# Reads of the bundle: its head twice, and its end.  One wait more is no read, so one run of five must do.
for i in 1 2 3 4 5; do
        strace -f -y -e trace=read,pread64,io_uring_enter -o trace lsr --no-cache -l t.tar.zst/t/a >/dev/null
        grep -E '(t\.tar\.zst>|io_uring_enter)' trace >reads
        [ $(wc -l <reads) -gt 4 ] || break
done
[ $(wc -l <reads) -le 4 ] || cat reads
