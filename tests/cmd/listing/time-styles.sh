touch f
at '2009-08-07 06:05:04.030201' f
for style in full-iso long-iso iso locale +%s +%Y; do
        lsr -go --time-style=$style f
done
lsr -go --full-time f
TIME_STYLE=long-iso lsr -go f
TZ=EST5 lsr -go --full-time f
lsr -go --time-style=$'+old %Y\nnew' f
status lsr -l --time-style=bogus f
