# What GNU takes as an abbreviation works, though lsr has more options.
for option in --he --help --ver --version; do
        [ -n "$(lsr $option)" ] && echo "$option says something"
done
mkdir d
touch 'a b' d/in
status lsr --l
status lsr --quoting-style=c --lit
status lsr --rec
status lsr --no
status lsr --g
status lsr --e
status lsr --b=1
status lsr --i=a*
status lsr --ig=a*
status lsr --al
status lsr --ti=mtime
