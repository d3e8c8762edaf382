# A link's URI is where it leads, as far as that can be told.
mkdir -p d/sub
touch d/sub/f 'd/a b%'
ln -s sub/f d/good
ln -s ../gone/x d/dangling
ln -s loop2 d/loop1
ln -s loop1 d/loop2
ln -s sub/f/x d/through-file
ln -s d to-d
show() { sed "s,file://[^/]*$(realpath .),file://HOST/DIR,g" | cat -v; }
lsr --hyperlink d | show
echo --
lsr --hyperlink to-d/ | show
echo --
lsr --hyperlink -d . .. d/../d/sub/../good nope/../d 2>&1 | sed "s,//[^/]*$(dirname "$(realpath .)"),//HOST/UP,g" | cat -v | sed "s,$(basename "$PWD"),CWD,g"
