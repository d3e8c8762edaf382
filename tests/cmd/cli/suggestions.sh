# engines: sync
# What other programs call so: the option that was meant is named, and nothing is read or written.
mkdir d; echo 1 >d/f; tar -cf x.tar d
for option in --long --oneline --header --hidden --max-depth=2 --dirsfirst --octal-permissions --usage -V '-?'; do
        status lsr $option d
done
# tar, zip and unzip: commands,
for option in --list --create --extract --test --to-stdout -O; do
        status lsr $option x.tar
done
# and their options, before the command and behind it.
status lsr --transform=s/d/e/ --unpack x.tar
status lsr --unpack x.tar --transform=s/d/e/
status lsr --unpack --overwrite x.tar
status lsr --unpack x.tar -t
status lsr --pack d -z
status lsr --pack --xz d
status lsr --pack -9 d
status lsr --pack -T4 d
status lsr --pack -vf y.tar d
status lsr --check -h x.tar
# What is for listings, where nothing is listed.
status lsr --check --tree x.tar
status lsr --cat -l x.tar/d/f
status lsr --unpack --only=f x.tar
status lsr --unpack -xf x.tar
status lsr --pack -x '*.o' d
status lsr --pack --git-ignore d
status lsr --gitignore d
status lsr -P '*.c' d
status lsr -L2 d
# By letters rather an option of the command.
status lsr --pack d --ouput=y.tar
status lsr --exlcude=x --pack d
# A depth without a tree.
status lsr --level=3 d
status lsr --level=3 --json d
status lsr -d --level=3 d
status lsr -R --level=1 d
# More habits, of eza, tar, zip and diff.
for option in --across --dirs-first --no-permissions --modified --numeric-owner --wildcards -xvzf; do status lsr $option d; done
status lsr --diff -r d x.tar
status lsr --diff -q d x.tar
status lsr --diff -u d x.tar
status lsr --pack new.zip d
status lsr --pack d new.tgz
ls
