# root:
mkdir sticky open both setgid
chmod 1755 sticky
chmod 0777 open
chmod 1776 both
chmod 2700 setgid
at '2010-01-01 00:00' *
lsr -l | mask_dirs
