export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1
git init -q tree && cd tree
git config user.email someone@example.org
git config user.name Someone
mkdir -p a/b c clean d/e ignored mixed part same
for f in a/b/f a/g c/h clean/x gone old mixed/1 mixed/2 part/1 same/1 same/2 'b l a n k' conflict '! clean'; do echo "$f" >"$f"; done
printf 'ignored/\n*.o\n' >.gitignore
git add -A && git commit -qm one
git checkout -q -b other && echo theirs >conflict && git commit -qam two
git checkout -q - && echo ours >conflict && git commit -qam three
git merge -q other >/dev/null 2>&1
echo 2 >>a/b/f
echo 2 >>'b l a n k' && git add 'b l a n k' && echo 3 >>'b l a n k'
echo 3 >c/new && git add c/new
echo u >d/e/u
echo i >ignored/i
echo o >x.o && echo o >clean/x.o
git mv old renamed
# An old name that looks like the record of another file.
git mv '! clean' was-odd
rm gone
echo 2 >mixed/1 && git rm -q --cached mixed/2
echo 2 >same/1 && echo 2 >same/2
touch part/new
ln -s a link
echo '-- names'
lsr --git -a
echo '-- columns, commas, a tree'
lsr --git -C -w 40 a d c
lsr --git -m a
lsr --git --tree d ignored clean
echo '-- rows'
lsr --git -lgG --time-style=+T a | tail -n +2
lsr --git -lgG --time-style=+T --titles c
lsr --git -lgG --time-style=+T d | tail -n +2
echo '-- below, operands, links to directories'
lsr --git -R d ignored
cd a
lsr --git -d . b ../x.o ../clean/ .. ../link /dev/null
lsr --git ../link/
lsr --git ../.git/refs
lsr --git -1 ../mixed
cd ..
echo '-- JSON'
lsr --git --json c ../tree/d | sed 's/"inode.*"git"/"git"/'
echo '-- no work tree'
lsr --git /dev/null
mkdir "$HOME/plain" && touch "$HOME/plain/f"
lsr --git "$HOME/plain"
echo '-- a work tree of its own below'
git init -q below && touch below/new
lsr --git -R below
echo '-- git fails, or is not there'
mkdir -p "$HOME/bad/.git" && touch "$HOME/bad/f"
lsr --git "$HOME/bad" 2>err
echo "status $?"
sed "s|$HOME|HOME|; s|fatal: .*|fatal: ...|" err
real=$(command -v lsr)
PATH=/nonexistent $real --git .
echo "status $?"
echo '-- nobody asks git without need'
PATH=/nonexistent $real c
