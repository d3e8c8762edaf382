# engines: sync
# Options of a file and of LSR_OPTIONS come before those of the command line, and an error in them tells where it stands.
mkdir -p d .config/lsr xdg/lsr
echo 1 >d/a; echo 333 >d/b; echo 22 >d/c~; ln -s a d/l
config() { [ "$1" = -- ] && shift; printf -- "$@" >.config/lsr/config; }
config '# comments, empty lines, blanks\n\n \t--sort size \n--ignore-backups\r\n  # end\n-F'
lsr d
echo "-- the environment, then the command line"
LSR_OPTIONS='--sort=name  -r' lsr d
LSR_OPTIONS='--sort=name  -r' lsr --sort=none -B d | sort
echo "-- values with blanks"
config -- '--time-style=+%%Y at %%H\n--ignore c* \n-w 7\n-C\n'
touch -d '2024-02-03 04:05' d/a
lsr -gG d/a; lsr d
echo "-- another place"
echo -1r >xdg/lsr/config
XDG_CONFIG_HOME=$PWD/xdg lsr d
XDG_CONFIG_HOME=xdg lsr d
HOME= lsr d
echo "-- nobody asked for them"
lsr --no-config d
LSR_OPTIONS=-r lsr --no-conf d
(export LSR_OPTIONS=-Q; as_ls d)
lsr --help | head -1
echo "-- what is not for the command does not count"
config -- '--icons\n-l\n--sort=nothing\n--exclude=b\n--level=2\n--compression-level=1\n--tree\n'
status lsr --pack d --output=d.tar.gz 2>/dev/null; tar -tf d.tar.gz
config -- '--level=1\n'
lsr d; lsr --tree d
echo "-- errors"
error() { config -- "$1"; shift; echo "$ $*"; status lsr "$@" 2>&1 | sed "s|$PWD|HOME|; /^Valid/,/^  [^-]/{/^ /d}"; }
error '--sort=size\n\n--sort=nothing\n'
error '-1\n--frob\n-l\n' d
error '--width' d
error '-1 d\n'
error 'd\n' d
error '--\n'
error '--pack\n' d
error '--no-config\n' d
error '--color=never\n--columns=size,nothing\n' d
error '--time-style=nothing\n' -l d
error '--io=nothing\n' d
error '--io=nothing\n' --check d.tar.gz
error '\n--mtime=nothing\n' --pack d --output=e.tar
error '--owner=:nobody-has-this\n' --pack d --output=e.tar
error '--bundle-format=nothing\n' --pack d --output=e.tar
error '--time-style=nothing\n' -l --time-style=nobody d
error '-1\n' -l --columns=nobody d
error '-1\n' --sort=nobody d
error '-1\n' nowhere
LSR_OPTIONS='-l d' status lsr d
LSR_OPTIONS='--confine --tree=no' status lsr d
rm .config/lsr/config; mkdir .config/lsr/config; status lsr d 2>&1 | sed "s|$PWD|HOME|"
rmdir .config/lsr/config; head -c 70000 /dev/zero | tr '\0' '#' >.config/lsr/config; status lsr d 2>&1 | sed "s|$PWD|HOME|"
rm .config/lsr/config; mkfifo .config/lsr/config; status timeout 20 lsr d 2>&1 | sed "s|$PWD|HOME|"
rm .config/lsr/config; ln -s /dev/null .config/lsr/config; status lsr d
