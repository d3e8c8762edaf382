# The conversions of date(1), with flags, widths and modifiers.
touch f old new
at '2009-08-07 06:05:04.030201' f
at '1902-02-03 00:00:00' old
at '2016-12-31 23:59:59' new
for format in '%Y|%6Y|%_6Y|%-y|%C|%G-%V-%u|%j|%q' '%D|%F|%+12F|%10R|%T' '%N|%3N|%-N|%_12N' '%s|%_12s' \
        '%^a|%#b|%p|%#p|%P|%r' '%z|%:z|%::z|%:::z|%_:z|%Z|%#Z' '%e|%-e|%k|%l|%3d' '%%|%5%|%-5|%!|%:d|%Ez|%' '%n%t|'; do
        lsr -og --time-style="+$format" f old new
done
TZ='NST3:30NDT,M3.2.0/0:01,M11.1.0/0:01' lsr -og --time-style='+%z|%:::z|%Z|%c' f old
TZ='<-00>0' lsr -og --time-style=full-iso f
lsr -og --time-style="+%1001d" f
