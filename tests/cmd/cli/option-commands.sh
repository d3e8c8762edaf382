# engines: sync
# Options of one command are not silently without meaning for another.
mkdir d dest; echo 1 >d/f; tar -cf x.tar d
status lsr --output=x.zip d
status lsr --exclude='*.o' d
status lsr --force --check d
status lsr --each --unpack d
status lsr --runs=2 --pack d
status lsr --html=page d
status lsr --cold --each d
# Whichever comes first.
status lsr --cat --pack d
status lsr --pack --cat d
status lsr --compare --pack d
# What other programs call so, and what lists: nothing is read or written.
status lsr --unpack x.tar -C dest
status lsr -d dest --unpack x.tar
status lsr --pack ../d -C .. --output=t.tar
status lsr --pack d --level=19
status lsr --pack --ignore='*.o' d
status lsr --pack --format=zip d
status lsr --unpack x.tar -T dest
status lsr --compare --bundle-format=zip d
status lsr --cat -v x.tar/d/f
status lsr --check -h x.tar
status lsr --check --json x.tar
status lsr --cat --stats x.tar/d/f
# What the surroundings say of listings is not meant for commands.
TIME_STYLE=bad QUOTING_STYLE=c COLUMNS=20 LSR_ICONS=always CLICOLOR_FORCE=1 POSIXLY_CORRECT=1 status lsr --cat x.tar/d/f
status lsr --pack --output=d.tar --force --pack d 2>&1 | sed 's/bytes out.*/bytes out/'
ls
