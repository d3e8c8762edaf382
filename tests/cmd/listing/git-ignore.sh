# What git ignores is left out, except of a directory that is ignored itself.
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 TERM=xterm
git init -q tree && cd tree
printf '*.o\nbuild/\n' >.gitignore
mkdir -p src/sub build/deep new; touch a.c a.o src/b.c src/b.o src/sub/c.o build/x build/deep/y new/n.c new/n.o
git add a.c src/b.c .gitignore
lsr --git-ignore; echo --; lsr -A --git-ignore src; echo --; lsr -R --git-ignore; echo --; lsr --tree --git-ignore
echo "-- ignored itself"
lsr --git-ignore build; lsr --git-ignore -d build a.o
echo "-- with states, sizes, without an order"
lsr --git-ignore --git new; lsr --git-ignore -s1 src | sed 's/[0-9]/N/g'; lsr --git-ignore -U | sort; lsr --git-ignore -f | sort
lsr --git-ignore --json | grep -o '"name":"[^"]*"'
mkdir ../plain; touch ../plain/x.o; lsr --git-ignore ../plain
echo "-- colours"
echo 2 >>a.c
lsr --git -1 --color=always | sed 's/\x1b/E/g'
lsr --git -x -w 80 --color=always | sed 's/\x1b/E/g'
lsr --git -1
