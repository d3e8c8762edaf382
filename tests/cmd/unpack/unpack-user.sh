# user:
# Directories that may not be written to or entered, files that may not be written to but have attributes, and lists of nothing.
mkdir -p d/no/deep d/ro; echo x >d/no/deep/f; echo y >d/ro/f; setfattr -n user.note -v hello d/ro/f; chmod 444 d/ro/f
python3 - <<'P'
import io, tarfile
with tarfile.open("e.tar", "w", format=tarfile.PAX_FORMAT) as tar:
    for name, mode in ("d", 0o755), ("d/no", 0o755), ("d/no/deep", 0o500), ("d/no/deep/f", 0o400), ("d/empty-list", 0o644):
        member = tarfile.TarInfo(name)
        member.mode, member.mtime = mode, 981173106
        if mode & 0o100:
            member.type = tarfile.DIRTYPE
        if name == "d/no":
            member.mode = 0
        if name == "d/empty-list":
            member.pax_headers = {"SCHILY.acl.access": "", "SCHILY.acl.default": ""}
        tar.addfile(member)
P
status lsr --unpack e.tar --output=o
stat -c '%n %a %Y' o/d o/d/no o/d/empty-list; chmod 700 o/d/no; stat -c '%n %a %Y' o/d/no/* o/d/no/deep/*
tar --xattrs -cf x.tar d; status lsr --unpack x.tar --output=x; stat -c %a x/d/ro/f; getfattr -d x/d/ro/f
echo "== civil times are those of here"
at '2020-07-01 12:00:00' d/no/deep/f; zip -qX z.zip d/no/deep/f
for zone in UTC EST5 Asia/Tokyo; do (export TZ=$zone; lsr --unpack z.zip --output=z.${zone#*/}; stat -c %y z.${zone#*/}/d/no/deep/f); done
