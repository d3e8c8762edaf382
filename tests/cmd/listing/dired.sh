# root:
mkdir d
touch a 'b c' d/e
at '2010-01-01 00:00' a 'b c'
lsr -l --dired a 'b c'
lsr --dired -l -R d >out
# Offsets point at the names.
python3 -c '
data = open("out", "rb").read()
for line in data.splitlines():
    if line.startswith(b"//DIRED//") or line.startswith(b"//SUBDIRED//"):
        at = [int(n) for n in line.split()[1:]]
        print(line.split()[0].decode(), [data[a:b].decode() for a, b in zip(at[::2], at[1::2])])
'
