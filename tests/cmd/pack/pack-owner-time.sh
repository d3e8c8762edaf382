# Whose and of when everything is to be.
mkdir d; echo x >d/f; at '2020-01-02 03:04:05.5' d/f; at '2024-01-02 03:04:05.75' d
list() { lsr --pack d --force --output=x.tar --owner=7:8 "$@" 2>/dev/null; tar --numeric-owner --full-time -tvf x.tar; }
list; list --mtime=@86400; list --mtime='2021-02-03 04:05:06'; list --mtime=2021-02-03
SOURCE_DATE_EPOCH=1600000000 list
SOURCE_DATE_EPOCH=1600000000 list --mtime=2022-01-01
lsr --pack d --force --output=x.tar --owner=root:root 2>/dev/null; tar -tvf x.tar | awk '{print $2}'; tar --numeric-owner -tvf x.tar | awk '{print $2}'
lsr --pack d --force --output=x.tar --owner=root 2>/dev/null; tar -tvf x.tar | awk '{print $2}' | sed 's,/.*,/...,'
