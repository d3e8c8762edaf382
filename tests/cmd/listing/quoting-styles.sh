touch plain 'sp ace' "it's" $'tab\t' $'\001ctl' '"dq"' '~tilde' '#hash' $'\xff'
for style in literal shell shell-always shell-escape shell-escape-always c escape; do
        echo "$style:"
        lsr --quoting-style=$style | cat -v
done
echo -b; lsr -b | cat -v
echo -Q; lsr -Q | cat -v
echo -q; lsr -q
echo -N; lsr -N | cat -v
echo env; QUOTING_STYLE=c lsr plain 'sp ace'
