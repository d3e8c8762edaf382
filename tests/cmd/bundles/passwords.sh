# Encrypted members of a zip: a password from a file, the environment or the terminal.  A wrong one is one line, and nothing is made.
mkdir d; echo secret >a; printf x >d/x; seq 60000 >big; echo open >open
at @1577934245 a d/x big open d
# One byte tells a wrong password of PKWARE's cipher, the checksum's or the time's, so one of 128 passes: until none does.
cat >told.py <<'PY'
import sys, zipfile
data = open(sys.argv[1], "rb").read()
for m in zipfile.ZipFile(sys.argv[1]).infolist():
    at = m.header_offset + 30 + sum(data[m.header_offset + i] * (1 + 255 * (i % 2)) for i in range(26, 30))
    for word in b"wrong", b"":
        told = zipfile._ZipDecrypter(word)(data[at : at + 12])[11:]
        if m.flag_bits & 1 and told[0] in (m.CRC >> 24, m._raw_time >> 8):
            sys.exit(1)
PY
made() { rm -f "$1"; zip -q -X -P word "$@"; until python3 told.py "$1"; do rm "$1"; zip -q -X -P word "$@"; done; }
made z.zip -r a big d; zip -qX z.zip open
made s.zip -fd a
tar -cf in.tar d; made n.zip -0 in.tar
for m in 128 192 256; do 7z a -bd -bso0 -tzip -pword -mem=AES$m aes$m.zip a big; done
7z a -bd -bso0 -tzip -pword -mem=AES256 -mm=bzip2 aesbz.zip big; 7z a -bd -bso0 -tzip -pword -mem=AES256 -mm=copy aes0.zip a
echo word >right; printf 'word\r\nmore\n' >crlf; printf wrong >wrong; : >empty; tr -d '\n' <big | head -c 3000 >long
echo "= read"
for z in z aes128 aes192 aes256; do
        for p in right crlf wrong empty; do
                echo "$z $p:"
                lsr --password-file=$p --cat $z.zip/a $z.zip/big | cksum
                status lsr --password-file=$p --check $z.zip
                status lsr --password-file=$p --unpack --output=out-$z-$p $z.zip
                ls -d out-$z-$p 2>/dev/null
        done
        diff -r out-$z-right out-$z-crlf && cmp big out-$z-right/big
done
LSR_PASSWORD=word lsr --cat s.zip/a | cmp - a; LSR_PASSWORD=wrong status lsr --cat s.zip/a
for z in aesbz/big aes0/a; do LSR_PASSWORD=word lsr --cat ${z%/*}.zip/${z#*/} | cmp - ${z#*/}; done
echo "= what is not encrypted needs none"
LSR_PASSWORD=wrong status lsr --cat z.zip/open; LSR_PASSWORD= status lsr --cat z.zip/a
status lsr --password-file=wrong --cat z.zip/open z.zip/a
LSR_PASSWORD=wrong status lsr --password-file=right --cat z.zip/a
echo "= nested"
LSR_PASSWORD=word status lsr n.zip/in.tar/d; LSR_PASSWORD=word status lsr --cat n.zip/in.tar/d/x
LSR_PASSWORD=word status lsr n.zip/in.tar
LSR_PASSWORD=wrong status lsr n.zip/in.tar/d; LSR_PASSWORD=wrong status lsr n.zip/in.tar
status lsr n.zip/in.tar/d
LSR_PASSWORD=word status lsr --password-file=right --unpack n.zip/in.tar --output=nested; ls nested
echo "= symbolic links, whose targets are encrypted, or compressed in a way that a listing does not look into"
ln -s a link; made l.zip -y a link
python3 -c '
import zipfile
i = zipfile.ZipInfo("link"); i.create_system = 3; i.external_attr = 0o120777 << 16
zipfile.ZipFile("b.zip", "w").writestr(i, "to/" * 30, zipfile.ZIP_BZIP2)'
for z in l b; do
        for p in right wrong empty; do
                status lsr --password-file=$p --unpack $z.zip --output=$z-$p; ls $z-$p; readlink $z-$p/link
                rm -f $z.tar; status lsr --password-file=$p --pack $z.zip --output=$z.tar 2>&1 | sed 's/, [0-9.]* s$//'; [ ! -e $z.tar ] || tar -tvf $z.tar | sed 's/.*:.. //'
        done
done
# Like l.zip, but what is "wrong" passes the byte of "a": its checksum tells, and of the link the byte.
base64 -d >p.zip <<'B'
UEsDBAoACQAAAI4hd12MsuviEwAAAAcAAAABAAAAYZ+z8hPI12yE2StSuaSs+waFMXVQSwcIjLLr4hMAAAAHAAAAUEsDBAoACQAA
AI4hd11DvrfoDQAAAAEAAAAEAAAAbGlua33XhX0ys6XMjF/x+05QSwcIQ7636A0AAAABAAAAUEsBAh4DCgAJAAAAjiF3XYyy6+IT
AAAABwAAAAEAAAAAAAAAAQAAAKSBAAAAAGFQSwECHgMKAAkAAACOIXddQ7636A0AAAABAAAABAAAAAAAAAAAAAAA/6FCAAAAbGlu
a1BLBQYAAAAAAgACAGEAAACBAAAAAAA=
B
status lsr --password-file=wrong --pack p.zip --output=p.tar 2>&1 | sed 's/, [0-9.]* s$//'
status lsr --password-file=wrong --unpack p.zip 2>&1; ls p
lsr --cat b.zip/link; lsr --password-file=right --cat l.zip/link | cmp - a; status lsr --password-file=right l.zip/link/; status lsr --cat l.zip/link
echo "= bad"
status lsr --password-file=none --cat z.zip/a; status lsr --password-file=none z.zip
status lsr --password-file=long --cat z.zip/a; status lsr --password-file=. --cat z.zip/a
lsr --password-file=right --pack z.zip --output=x.tar 2>said; tar -tf x.tar; status lsr --password-file=wrong --pack z.zip --output=y.tar 2>said; [ -e y.tar ] || echo none
LSR_PASSWORD=$(cat long) status lsr --cat z.zip/a
# A byte in the middle of what is encrypted is another one: of AES its code tells, of the other the checksum.
python3 - <<'PY'
for name in "z", "aes0":
    data = bytearray(open(name + ".zip", "rb").read())
    at = 30 + data[26] + data[27] * 256 + data[28] + data[29] * 256 + (13 if name == "z" else 20)
    data[at] ^= 1
    open("bad-%s.zip" % name, "wb").write(data)
PY
for z in z aes0; do status lsr --password-file=right --cat bad-$z.zip/a | cksum >/dev/null; status lsr --password-file=right --check bad-$z.zip; done
echo "= at a terminal it is asked for, and not shown"
cat >ask.py <<'PY'
import os, pty, sys, time
def ask(keys, *args):
    pid, fd = pty.fork()
    if pid == 0:
        os.dup2(os.open("content", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.execvp(args[0], args)
    text, sent = b"", False
    while True:
        try:
            got = os.read(fd, 4096)
        except OSError:
            break
        if not got:
            break
        text += got
        if b": " in text and not sent:
            time.sleep(0.2)
            os.write(fd, keys)
            sent = True
    status = os.waitpid(pid, 0)[1]
    print("".join(l for l in text.decode().replace("\r", "").splitlines(True) if "is not confined" not in l), end="")
    print("=>", os.waitstatus_to_exitcode(status), repr(open("content", "rb").read()))
lsr = sys.argv[1]
ask(b"word\n", lsr, "--cat", "z.zip/a", "z.zip/d/x")
ask(b"wrong\n", lsr, "--cat", "z.zip/a", "z.zip/d/x")
ask(b"\n", lsr, "--cat", "z.zip/a")
ask(b"wor\x03", lsr, "--cat", "z.zip/a")
PY
python3 ask.py "$(command -v lsr)"
echo "= a stop and the end leave the terminal as it was"
cat >stop.py <<'PY'
import os, pty, signal, sys, termios, time
def main(what):
    """In a session of its own, so that lsr can be stopped."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        os.execvp(sys.argv[1], [sys.argv[1], "--cat", "z.zip/a"])
    echo = lambda: "echo" if termios.tcgetattr(0)[3] & termios.ECHO else "no echo"
    while echo() == "echo":
        time.sleep(0.05)
    if what == "end":
        os.kill(pid, signal.SIGTERM)
    else:
        os.write(4, b".")
    status = os.waitpid(pid, os.WUNTRACED)[1]
    print("stopped," if os.WIFSTOPPED(status) else "ended,", echo(), flush=True)
    if os.WIFSTOPPED(status):
        os.tcsetpgrp(0, pid)
        os.killpg(pid, signal.SIGCONT)
        while echo() == "echo":
            time.sleep(0.05)
        os.write(4, b".")
        status = os.waitpid(pid, 0)[1]
    print(os.waitstatus_to_exitcode(status), echo(), flush=True)
for what, keys in ("end", []), ("stop", [b"wo\x1a", b"word\n"]):
    ready, tell = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        os.dup2(tell, 4)
        main(what)
        os._exit(0)
    os.close(tell)
    for key in keys:
        os.read(ready, 1)
        os.write(fd, key)
    text = b""
    try:
        while got := os.read(fd, 4096):
            text += got
    except OSError:
        pass
    os.waitpid(pid, 0)
    print("".join(l for l in text.decode().replace("\r", "").splitlines(True) if "is not confined" not in l), end="", flush=True)
PY
timeout 60 python3 stop.py "$(command -v lsr)"
