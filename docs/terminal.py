#!/usr/bin/env python3
"""terminal.py - the picture of a terminal session that the README shows

usage: docs/terminal.py --lsr BINARY [--check]

Makes a small project, runs the commands below in a terminal of 92 columns, and writes what they show to
docs/pictures/terminal.svg.  --check only compares: exit status 1 if the picture is not what lsr shows now.
"""
import argparse
import gzip
import io
import os
import pty
import re
import shutil
import sqlite3
import sys
import tarfile
import tempfile
import termios
import struct
import fcntl
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

PICTURE = Path(__file__).parent / "pictures" / "terminal.svg"
COLUMNS = 92
SESSION = [
    "lsr",
    "lsr -l pkg.tar.gz",
    "lsr --tree app.zip",
    "lsr -l app.db",
    "lsr --cat app.db/users/2",
    "lsr --pack src",
    "lsr -lh src.tar.zst/src/lib",
]
WHEN = 1_577_836_800  # 2020-01-01 00:00:00 UTC: old enough to look the same each year

# The colours of a terminal with a dark background: normal and bright.
PALETTE = ["#2e3436", "#ef6b6b", "#8ae234", "#fce94f", "#729fcf", "#c79ac1", "#34e2e2", "#d3d7cf",
           "#888a85", "#ff8a80", "#a5f05c", "#fff38a", "#9cc4f0", "#e0b3d9", "#7ff0f0", "#ffffff"]
PAPER, INK = "#1b1e20", "#d3d7cf"
CELL, LINE, MARGIN = 8.43, 18, 14


def project(top):
    """A project as people have them: sources, archives, a database; the same bytes each time."""
    files = {
        "src/main.c": 1204, "src/lib/list.c": 8310, "src/lib/list.h": 911, "src/lib/pack.c": 15022, "README": 640,
    }
    for name, size in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((b"a line of text in " + name.encode() + b"\n") * (size // 24))
    with tarfile.open(top / "pkg.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, size, mode in (("bin", tarfile.DIRTYPE, 0, 0o755), ("bin/tool", tarfile.REGTYPE, 90112, 0o755),
                                       ("doc", tarfile.DIRTYPE, 0, 0o755), ("doc/NEWS", tarfile.REGTYPE, 5120, 0o644),
                                       ("LICENSE", tarfile.REGTYPE, 1068, 0o644), ("latest", tarfile.SYMTYPE, 0, 0o777)):
            m = tarfile.TarInfo(name)
            m.type, m.size, m.mode, m.mtime, m.uname, m.gname = kind, size, mode, WHEN - 86400 * 9, "ann", "staff"
            m.linkname = "doc/NEWS" if kind == tarfile.SYMTYPE else ""
            tar.addfile(m, io.BytesIO(b"\0" * size))
    with open(top / "pkg.tar", "rb") as plain, open(top / "pkg.tar.gz", "wb") as out:
        with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed:
            shutil.copyfileobj(plain, packed)
    (top / "pkg.tar").unlink()
    with zipfile.ZipFile(top / "app.zip", "w") as z:
        for name in ("index.html", "js/app.js", "js/vendor/view.js", "img/logo.png", "style.css"):
            z.writestr(zipfile.ZipInfo(name, (2019, 12, 24, 18, 0, 0)), name * 40)
    with sqlite3.connect(top / "app.db") as db:
        db.executescript("""create table users(id integer primary key, name text, mail text, born text);
            create table orders(id integer primary key, user integer references users, total real);
            create view spending as select name, sum(total) from users join orders on orders.user = users.id group by 1;
            insert into users values(1,'Ann','ann@example.org','1984-02-29'),(2,'Bo','bo@example.org','1990-11-22');
            insert into orders values(1,1,12.5),(2,2,8.0),(3,1,30.25);""")
    db.close()
    for path in [top, *top.rglob("*")]:
        os.utime(path, (WHEN, WHEN))


def run(command, where, lsr):
    """What a terminal shows: bytes, with their colours."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(where)
        env = {"PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "TZ": "UTC", "LC_ALL": "C.UTF-8", "HOME": where,
               "SOURCE_DATE_EPOCH": str(WHEN), "COLUMNS": str(COLUMNS), "XDG_CACHE_HOME": where + "/.cache"}
        os.execvpe(lsr, command.split(), env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    out = b""
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    os.waitpid(pid, 0)
    return re.sub(r"\d+\.\d\d s\b", "0.01 s", out.decode().replace("\r\n", "\n"))


def spans(line):
    """(text, colour, bold) of a line with escape sequences."""
    colour, bold, dim = None, False, False
    line = re.sub(r"\x1b\](?:[^\x07\x1b])*(?:\x07|\x1b\\)|\x1b\[[0-9;]*[A-HJKSTfhl]", "", line)
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if not piece.startswith("\x1b"):
            if piece:
                yield piece, PALETTE[8] if dim and colour is None else colour, bold
            continue
        codes = [int(c or 0) for c in piece[2:-1].split(";")]
        while codes:
            c = codes.pop(0)
            if c == 0:
                colour, bold, dim = None, False, False
            elif c == 1:
                bold = True
            elif c == 2:
                dim = True
            elif 30 <= c <= 37:
                colour = PALETTE[c - 30]
            elif c == 39:
                colour = None
            elif 90 <= c <= 97:
                colour = PALETTE[c - 82]
            elif c == 38 and codes[:1] == [5]:
                colour = PALETTE[codes[1] % 16]
                codes = codes[2:]


def svg(lines):
    width, height = COLUMNS * CELL + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
           f'viewBox="0 0 {width:.0f} {height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
           f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>']
    for i, line in enumerate(lines):
        at, parts = 0, []
        for text, colour, bold in spans(line):
            weight = ' font-weight="bold"' if bold else ""
            parts.append(f'<tspan x="{MARGIN + at * CELL:.1f}" fill="{colour or INK}"{weight} '
                         f'textLength="{len(text) * CELL:.1f}" xml:space="preserve">{escape(text)}</tspan>')
            at += len(text)
        out.append(f'<text y="{MARGIN + LINE * i + 13}">{"".join(parts)}</text>')
    return "\n".join([*out, "</svg>", ""])


def session(lsr):
    lines = []
    with tempfile.TemporaryDirectory() as where:
        top = Path(where) / "project"
        top.mkdir()
        project(top)
        for command in SESSION:
            lines += [f"\x1b[32m$\x1b[0m \x1b[1m{command}\x1b[0m", *run(command, str(top), lsr).splitlines(), ""]
    return lines[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    picture = svg(session(os.path.abspath(args.lsr)))
    if not args.check:
        PICTURE.write_text(picture)
    elif PICTURE.read_text() != picture:
        print(f"{PICTURE} is not what lsr shows now: run docs/terminal.py --lsr {args.lsr}", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
