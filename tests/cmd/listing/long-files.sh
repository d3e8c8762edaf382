# root:
# Types, modes, owners and both forms of time in one long listing.
printf 12345 >plain
printf x >setuid; chmod 4755 setuid
printf x >setgid; chmod 2644 setgid
printf x >none; chmod 0 none
ln -s plain link
ln -s gone broken
mkfifo -m 600 fifo
mknod -m 660 null c 1 3
mknod -m 660 loop b 7 130
chown 0:0 plain
chown 4242:1234567 setuid
at '2001-02-03 04:05:06' plain setuid link broken fifo
at '2001-12-30 23:59:59' setgid none null loop
lsr -l plain setuid setgid none link broken fifo null loop
