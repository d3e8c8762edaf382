# Members that are not what they seem are marked in long rows, and one line says what the marks mean.
python3 - <<'PY'
import io, tarfile, zipfile

def tar(path, *members):
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as t:
        for name, mode, text in members:
            i = tarfile.TarInfo(name); i.mode = mode; i.mtime = 1577934245; i.size = len(text)
            t.addfile(i, io.BytesIO(text))

tar("moved.tar", ("../evil", 0o644, b"1"), ("/abs", 0o644, b"22"), ("a/../../b", 0o644, b"333"), ("./plain", 0o644, b""),
    ("x//y", 0o644, b""), ("dots..", 0o644, b""), ("..dots/z", 0o644, b""))
tar("twice.tar", ("f", 0o644, b"first"), ("g", 0o644, b"once"), ("f", 0o600, b"second"), ("d/a", 0o644, b""), ("d", 0o644, b"a file"))
tar("setid.tar", ("bin/su", 0o4755, b"x"), ("bin/wall", 0o2755, b"x"), ("bin/ls", 0o755, b"x"))
tar("all.tar", ("../su", 0o755, b"x"), ("../su", 0o6755, b"x"), ("plain", 0o644, b""))
tar("plain.tar", ("a", 0o644, b"x"), ("./b", 0o1777, b"x"))
with zipfile.ZipFile("w.zip", "w") as z:
    i = zipfile.ZipInfo("x"); i.filename = "..\\evil.txt"; i.create_system = 0; i.date_time = (2020, 1, 2, 3, 4, 6); z.writestr(i, "1")
PY
echo secret >s; echo open >o; at @1577934245 s o; zip -q -X -P word e.zip s; zip -qX e.zip o
at @1577934245 *.tar *.zip
for b in moved twice all plain; do lsr -go --time-style=+%F $b.tar; done
lsr -goR --time-style=+%F setid.tar/ twice.tar/ | sed 's/  (.*//'
lsr -go --time-style=+%F w.zip/ e.zip/ | sed 's/  (.*//'
lsr -go --time-style=+%F moved.tar/evil
echo "= with other columns"
lsr --tree -go --time-style=+%F setid.tar
lsr -go --titles --time-style=+%F e.zip
lsr -go --dired --time-style=+%F e.zip
lsr -1 --columns=mode e.zip
echo "= nowhere else"
lsr -1 moved.tar; lsr -F setid.tar/bin; lsr --json all.tar | grep -c marks
(exec -a ls lsr -go --time-style=+%F e.zip/)
mkdir d; touch d/f; chmod 6755 d/f; lsr -go --time-style=+ d
ln s h; tar -cf link.tar s h s; lsr -go --time-style=+%F link.tar
echo h >h2; ln h2 h3; printf 'h2\nh3\n' | cpio --quiet -oH newc >c.cpio; lsr -go --time-style=+ c.cpio | sed 1d
echo "= checked"
for b in moved.tar twice.tar setid.tar all.tar plain.tar w.zip; do status lsr --check $b; done
