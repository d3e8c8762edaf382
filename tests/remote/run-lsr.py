#!/usr/bin/env python3
"""run-lsr - lsr with bundles on servers of our own, which must look as the same files do here

    tests/remote/run-lsr.py --lsr build/asan/lsr [--corpus DIR] [NAME...]

lsr-remote is looked for beside lsr.  Requests are counted where the number is a promise; no time is measured.
"""

import io
import json
import os
import pty
import random
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../diff"))
from bundletree import FORMATS as PROGRAMS, make_tree, sh  # noqa: E402
from stores import free_port, listening, store_tests  # noqa: E402
from world import FORMATS, NAME, SECRET, TESTS, main, plain, said, test  # noqa: E402

# --- the same as here -------------------------------------------------------------


@test
def same(w):
    inner = "tree/directory-003/of some depth"
    ways = [
        ("", "-l"), ("", "-lR"), ("", "--tree"), ("", "--json"), ("", "-U1"), ("", "-l", "--total-size"),
        ("", "-lR", "--bundles=always"), ("", "--check"), ("/" + inner, "-l"), ("/" + inner, "-ld"),
        ("/none", "-l"), ("/tree/directory-003", "--cat"), ("/tree/large", "--cat"), ("/tree/large/x", "--cat"), ("/none", "--cat"),
        ("/" + inner + "/a file of a usual length 00181.txt", "--cat"),
    ]  # fmt: skip
    for kind in FORMATS:
        if not os.path.exists(w.path("b", "x." + kind)):
            continue
        for inside, *options in ways:
            there = w.run(*options, w.url("x." + kind) + inside)
            here = w.run(*options, "b/x." + kind + inside)
            assert there.returncode == here.returncode, (kind, options, inside, there, here.returncode)
            assert plain(w, there.stdout) == plain(w, here.stdout), (kind, options, inside)
            assert plain(w, there.stderr) == plain(w, here.stderr), (kind, options, there.stderr, here.stderr)


def fixture_files(w):
    """(path, options): a bundle of each format and program, and what the fuzzer begins with, whose names say nothing."""
    os.mkdir(w.path("zoo"))
    make_tree(w.path("zoo"))
    for name, suffix, pack, *_ in PROGRAMS:
        path = w.path("b", name + suffix)
        sh(pack, w.path("zoo"), path)
        yield path, [["-lR"], ["-R", "--json"], ["--tree"], ["--check"]]
    for folder, _, names in os.walk(w.args.corpus or w.path("none")):
        for name in names:
            path = w.path("b", f"{os.path.basename(folder)}-{name}")
            shutil.copy(os.path.join(folder, name), path)
            yield path, [["--check"], ["-l", "--bundles=always"]]


@test
def fixtures(w):
    """What a format has a bundle for, well made or damaged: the same bytes and statuses as of the file."""
    bundles = 0
    for path, ways in fixture_files(w):
        name = os.path.basename(path)
        with open(path, "rb") as f:
            w.server.files[name] = f.read()
        for options in ways:
            there, here = w.run(*options, "--no-cache", w.url(name)), w.run(*options, "--no-cache", "b/" + name)
            assert there.returncode == here.returncode, (name, options, there, here)
            assert plain(w, there.stdout) == plain(w, here.stdout), (name, options, there, here)
            words = plain(w, there.stderr).replace(b": it is not", b" is not")
            assert words == plain(w, here.stderr), (name, there, here)
            bundles += here.returncode == 0
            if b"is not a bundle" in here.stderr:
                break  # here it is listed as a file
        os.unlink(path)
    assert bundles > 3 * len(PROGRAMS), bundles


@test
def unpack(w):
    for kind in ("tar.zst", "zip", "sqlar", "tar", "tar.gz"):
        w.fetched("--unpack", "--output=" + w.path("out"), w.url("x." + kind))
        done = subprocess.run(["diff", "-r", w.path("tree"), w.path("out", "tree")], capture_output=True, check=False)
        assert done.returncode == 0, (kind, done.stdout[:300])
        shutil.rmtree(w.path("out"))


@test
def several(w):
    """More operands than bundles are kept open, and some twice; a file of this machine between them."""
    for i in range(20):
        w.server.files[f"copy{i:02}.zip"] = w.server.files["outer.zip"]
    urls = [w.url(f"copy{i:02}.zip/inner") for i in range(20)]
    done = w.run("-d", *urls, "b/x.zip", *urls)
    assert done.returncode == 0, done.stderr
    done = w.run("-1", *urls, *urls)
    assert done.returncode == 0 and done.stdout.count(b"x.tar.zst") == 40, done
    member = "/a file of a usual length 00181.txt"
    parts = [w.url(f"x.{kind}/tree/directory-003/of some depth") + member for kind in ("tar.zst", "zip", "sqlar")]
    done = w.run("--cat", *parts, "b/no.zip", parts[0])
    with open(w.path("tree/directory-003/of some depth") + member, "rb") as f:
        one = f.read()
    assert done.stdout == one * 3 + w.server.files["no.zip"] + one, done.stderr


@test
def nested(w):
    for inner in ("x.tar.zst", "x.zip"):
        there = w.run("-lR", w.url("outer.zip/inner/" + inner))
        here = w.run("-lR", "b/outer.zip/inner/" + inner)
        assert there.returncode == here.returncode == 0, there.stderr
        assert plain(w, there.stdout) == plain(w, here.stdout)
    # A stored one is a range of the outer one: not all of that is fetched.
    _, seen = w.fetched("-l", w.url("outer.zip/inner/x.tar.zst/tree/directory-003"), "--no-cache")
    assert len(seen) <= 9, seen
    # Members are not looked at, to see which of them are bundles.
    done, seen = w.fetched("-R", "--bundles=always", "--no-cache", w.url("outer.zip"))
    assert b"directory-003" not in done.stdout and len(seen) <= 3, seen


# --- requests ----------------------------------------------------------------------


@test
def requests(w):
    inside = "/tree/directory-003/of some depth/a file of a usual length 00181.txt"
    for kind, inner, most, *options in (
        ("tar.zst", "", 3, "-l"), ("tar.zst", "", 3, "-lR"), ("tar.zst", inside, 4, "--cat"),
        ("zip", "", 4, "-l"), ("zip", "", 4, "-lR"), ("zip", inside, 5, "--cat"),
        ("sqlar", inside, 12, "--cat"),
    ):  # fmt: skip
        done, seen = w.fetched(*options, "--no-cache", w.url("x." + kind) + inner)
        size = len(w.server.files["x." + kind])
        assert len(seen) <= most, (kind, options, seen)
        assert all(r[2] == 206 for r in seen), seen
        assert kind == "sqlar" or len(done.stdout) > 50
        got = sum(fetched_bytes(r[1].get("Range", ""), size) for r in seen)
        assert got < size / 4, (kind, options, got, size)


@test
def looked_up(w):
    """Rows of an sqlar are found by its index, also several and with escapes."""
    names = [f"directory-{i:03}/of some depth/a file of a usual length {60 * i + 1:05}.txt" for i in (3, 20, 41)]
    _, all_of_it = w.fetched("-lR", "--no-cache", w.url("x.sqlar"))
    urls = [w.url("x.sqlar/tree/") + name.replace(" ", "%20") for name in names]
    done, seen = w.fetched("--cat", "--no-cache", *urls)
    expected = b"".join(open(w.path("tree", name), "rb").read() for name in names)
    assert done.stdout == expected
    size = len(w.server.files["x.sqlar"])
    assert sum(fetched_bytes(r[1].get("Range", ""), size) for r in seen) < size / 2, (len(seen), len(all_of_it))
    assert len(seen) <= 20, len(seen)


def fetched_bytes(text, size):
    first, _, last = text.removeprefix("bytes=").partition("-")
    return int(last) - int(first) + 1 if first else min(int(last), size)


@test
def announced(w):
    """Members that are unpacked are announced, also those of several operands: where answers are late, few requests."""

    def late(handler, data, fault):
        time.sleep(0.03)
        handler.serve(data)

    w.server.http.RequestHandlerClass.fault_late = late
    name = "tree/directory-{:03}/of some depth/a file of a usual length {:05}.txt"
    names = [name.format(i // 60, i) for i in range(0, 3600, 50)]
    random.Random(3).shuffle(names)
    for kind in ("zip", "tar.zst"):
        parts = [w.url(f"x.{kind}/{name}", "late") for name in names]
        _, seen = w.fetched("--unpack", "--output=" + w.path("out"), "--no-cache", *parts)
        assert len(seen) <= 15, (kind, len(seen), [r[1].get("Range") for r in seen])
        assert len(os.listdir(w.path("out"))) == len(names)
        shutil.rmtree(w.path("out"))
    _, seen = w.fetched("--unpack", "--output=" + w.path("out"), "--no-cache", w.url("x.zip"))
    assert len(seen) <= 10, [r[1].get("Range") for r in seen]
    shutil.rmtree(w.path("out"))


@test
def unchanged(w):
    for kind in ("tar.zst", "zip", "tar", "tar.gz"):
        for options in (["-l"], ["-lR"], ["--tree"]):
            first = w.run(*options, w.url("x." + kind))
            done, seen = w.fetched(*options, w.url("x." + kind))
            assert done.stdout == first.stdout and len(seen) == 1 and seen[0][2] == 304, (kind, seen)
        w.server.files["x." + kind] = w.server.files["outer.zip"]
        w.server.http.RequestHandlerClass.fault_plain = lambda h, data, fault: h.serve(data, tag='"other"')
        try:
            done, seen = w.fetched("-l", w.url("x." + kind))
        finally:
            del w.server.http.RequestHandlerClass.fault_plain
        assert b"inner" in done.stdout and seen[0][2] == 206, (kind, done, seen)
    # The query is no part of the name: it is a signature that changes.
    w.run("-l", w.url("x.zip?sig=1"))
    _, seen = w.fetched("-l", w.url("x.zip?sig=2"))
    assert [r[2] for r in seen] == [304]
    _, seen = w.fetched("-l", "--no-cache", w.url("x.zip"))
    assert 304 not in [r[2] for r in seen]


@test
def stats(w):
    done, seen = w.fetched("-l", "--stats", w.url("x.zip"))
    text = done.stderr.decode()
    assert int(re.search(r"^fetches +(\d+)$", text, re.M)[1]) == len(seen), text
    assert re.search(r"^bytes fetched +\d{6,}$", text, re.M) and re.search(r"^fetching +\d+\.\d+ ms$", text, re.M)
    assert b"fetch" not in w.run("-l", "--stats", "b/x.zip").stderr
    w.server.http.RequestHandlerClass.fault_twice = w.server.http.RequestHandlerClass.fault_busy
    done, seen = w.fetched("--json", "--stats", "--no-cache", w.url("x.zip", "twice"))
    lines = done.stderr.decode().splitlines()
    told = json.loads(lines[0])
    assert len(lines) == 1 and told["fetches"] == len(seen) and told["fetches_repeated"] == 2, (told, len(seen))
    assert told["bytes_fetched"] > 100000 and told["fetching_ns"] > 0 and "confined" in told["parser"]
    assert told["entries"] == len(done.stdout.splitlines()) and told["programs_run"] == 0
    assert "fetches" not in json.loads(w.run("--json", "--stats", "b/x.zip").stderr)


@test
def progress(w):
    """A server that takes its time is told of on a terminal, and the line is gone before others come."""
    def late(handler, data, fault):
        time.sleep(0.45)
        handler.serve(data)

    w.server.http.RequestHandlerClass.fault_late = late
    environ = {"PATH": os.environ["PATH"], "HOME": w.scratch, "LC_ALL": "C.UTF-8"}
    for options in (["-l"], ["--check"], ["--cat"]):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([w.lsr, *options, "--no-cache", w.url("x.tar", "late")], env=environ, stderr=theirs,
                                   stdout=subprocess.PIPE)  # fmt: skip
        os.close(theirs)
        out = process.stdout.read()
        process.wait(30)
        said = b""
        try:
            while part := os.read(ours, 10000):
                said += part
        except OSError:
            os.close(ours)
        assert re.search(rb"fetching: \d+ requests, \d+\.\d MB, \d+ MB/s", said), (options, said)
        assert process.returncode == 0 or options == ["--cat"], said
        assert b"fetching" not in said[said.rindex(b"\r\x1b[K") :] and b"fetching" not in out, said
    # Who reads what is said wants no such line.
    done, _ = w.fetched("-l", "--no-cache", w.url("x.tar", "late"))
    assert not done.stderr, done


@test
def secrets_shown(w):
    """Neither password nor query of a URL is shown, whatever shows the URL."""
    url = w.url("outer.zip").replace("//", "//user:" + SECRET + "@") + "?sig=" + SECRET
    for options in (["-R"], ["--tree"], ["-d"], ["-ld"], ["--json", "-R"], ["--json", "--tree"], ["--check"], ["--diff", "b/x.zip"],
                    ["--color=always", "--hyperlink=always", "-R"], ["--csv"], ["-l", "--stats"]):  # fmt: skip
        for inner in ("", "#/inner", "#/inner/x.zip", "#/inner/x.zip/tree/directory-003", "#/none"):
            done = w.run(*options, url + inner)
            assert SECRET.encode() not in done.stdout + done.stderr, (options, inner, done)
    shown = w.url("outer.zip")
    told = [json.loads(line) for line in w.run("--json", url + "#/inner").stdout.splitlines()]
    assert [t["path"] for t in told] == [shown + "#/inner/x.tar.zst", shown + "#/inner/x.zip"], told
    assert told[0]["bundle"] == shown, told
    told = json.loads(w.run("--json", "-d", url + "#/inner/x.zip/tree/large").stdout)
    assert told["bundle"] == shown + "/inner/x.zip" and told["path"] == shown + "#/inner/x.zip/tree/large", told
    done = w.run("-1", url, url + "#/inner")
    assert done.stdout.decode().splitlines()[0] == shown + ":", done


# --- names -------------------------------------------------------------------------


@test
def hyperlinks(w):
    """Names lead to the server that they are on, and a URL that is called so here to the file."""
    url, odd = w.url("outer.zip"), b"a name+%41 \xc3\xbc"
    whole = f"{url}/a%20name%2b%2541%20%c3%bc".encode()

    def links(*args):
        return re.findall(rb"\033\]8;;([^\a]+)\a([^\033]*)\033", w.run("-1", "--hyperlink=always", *args).stdout)

    assert links(url) == [(whole, odd), (url.encode() + b"/inner", b"inner")], links(url)
    assert links("-d", url + "/inner") == [(url.encode() + b"/inner",) * 2]
    found = links("-R", url + "/")
    assert found[0][0] == url.encode() and found[1] == (whole, odd), found
    assert (url.encode() + b"/inner/x.zip", b"x.zip") in found, found
    secret = url.replace("//", "//user:" + SECRET + "@") + "?sig=" + SECRET
    assert links(secret)[0] == (whole, odd), links(secret)
    os.makedirs(w.path("http:/h"))
    assert links("-d", "http://h")[0][0].startswith(b"file://")
    shutil.rmtree(w.path("http:"))


@test
def names(w):
    odd = "a name+%41 ü"
    for name, escaped in (("a b+c.zip", "a%20b+c.zip"), ("ü.zip", "ü.zip"), ("x%2fy.zip", "x%252fy.zip")):
        w.server.files[escaped.replace("ü", "%C3%BC")] = w.server.files["outer.zip"]
        done = w.run("-1", w.url(escaped))
        assert done.stdout.decode() == f"{odd}\ninner\n", (name, done)
    done = w.run("--cat", w.url("outer.zip/a%20name+%2541%20%C3%BC"))
    assert done.stdout == b"odd", done
    done = w.run("--cat", w.url("outer.zip#/") + odd)
    assert done.stdout == b"odd", done
    done = w.run("-1", w.url("outer.zip?token=" + SECRET + "#/inner"))
    assert done.stdout == b"x.tar.zst\nx.zip\n", done
    # A directory on the server that is called as a bundle.
    w.server.files["y.zip/x.zip"] = w.server.files["outer.zip"]
    done = w.run("-1", w.url("y.zip/x.zip/inner"))
    assert done.stdout == b"x.tar.zst\nx.zip\n", done
    # What exists here is not looked for elsewhere.
    os.makedirs(w.path("http:/h"))
    assert w.run("-d", "http://h").stdout == b"http://h\n"


@test
def download(w):
    """What a server without ranges has is fetched whole up to 8 MiB, with --download up to 256 MiB."""
    path = w.path("whole.tar")
    with tarfile.open(path, "w") as t:
        for name, size in ("big", 10 << 20), ("small", 3):
            member = tarfile.TarInfo(name)
            member.size = size
            t.addfile(member, io.BytesIO(bytes([65]) * size))
    with open(path, "rb") as f:
        w.server.files["whole.tar"] = f.read()
    url = w.url("whole.tar", "no-ranges")
    said(w.run("-l", url), 2, "the server sends whole objects only; use --download, or download it first")
    assert w.run("-l", "--download", url).stdout == w.run("-l", path).stdout
    cat = w.run("--cat", "--download", url + "/small")
    assert cat.stdout == b"AAA", cat
    assert w.run("--check", "--download", url).returncode == 0
    assert w.run("--unpack", "--download", "--output=" + w.path("fetched"), url).returncode == 0
    assert os.path.getsize(w.path("fetched", "big")) == 10 << 20
    said(w.run("--compare", url + "?sig=" + SECRET), 2, f"cannot compare '{url}': --compare measures a directory on a disk")


# --- what goes wrong ---------------------------------------------------------------


@test
def wrong(w):
    w.server.files["huge.zip"] = bytes(9 << 20)
    for options in (["-l"], ["--cat"], ["--check"], ["--unpack", "--output=" + w.path("out")]):
        shown = w.url("none.zip")
        url = w.url("none.zip").replace("//", "//user:" + SECRET + "@") + "?sig=" + SECRET
        said(w.run(*options, url), 2, f"'{shown}': it cannot be opened: there is nothing of this name (404); check the URL")
        said(w.run(*options, w.url("x.zip", "refused")), 2, "access is denied (403 AccessDenied)")
        said(w.run(*options, w.url("no.zip")), 2, "it is not a bundle")
        said(w.run(*options, "http://127.0.0.1:1/x.zip"), 2, "'http://127.0.0.1:1/x.zip': it cannot be opened: ")
        said(w.run(*options, "http:///x.zip"), 2, "'http:///x.zip': the URL is not valid")
        # What will not be otherwise later.
        done = w.run(*options, w.url("x.zip", "legal"))
        said(done, 2, "the server refuses (451)")
        assert b"again" not in done.stderr, done
        said(w.run(*options, w.url("x.zip", "password")), 2, "wants a name and a password, which ~/.netrc can have (401)")
        with_name = w.url("x.zip", "password").replace("//", "//user:" + SECRET + "@")
        said(w.run(*options, with_name), 2, "the server does not take the name and the password of the URL (401)")
        said(w.run(*options, w.url("huge.zip", "no-ranges")), 2, "the server sends whole objects only; use --download, or download it first")
    query = "?sig=" + SECRET
    said(w.run("-l", "http://nothing.invalid/x.zip" + query), 2, "'http://nothing.invalid/x.zip': it cannot be opened: ",
         "there is no such host; check the URL")  # fmt: skip
    said(w.run("-l", w.url("x.zip", "cut-always") + query), 2, f"'{w.url('x.zip', 'cut-always')}': it cannot be opened: ",
         "the connection was cut, 5 times; try again later")  # fmt: skip
    alone = shutil.copy(w.lsr, w.path("alone"))
    if not os.path.exists("/usr/local/libexec/lsr/lsr-remote"):
        said(w.run("-l", w.url("x.zip"), lsr=alone), 2, "lsr-remote, which is not installed: install it")
    done = w.run("-d", "b/x.zip", w.url("none.zip"))
    assert done.returncode == 2 and done.stdout == b"b/x.zip\n", done


@test
def faults(w):
    """What can be repeated is, and nothing is said."""
    here = w.run("-lR", "b/x.zip")
    for fault in ("reset", "busy", "short", "no-suffix", "suffix-ignored", "weak-all"):
        done = w.run("-lR", "--no-cache", w.url("x.zip", fault))
        assert done.returncode == 0 and not done.stderr, (fault, done)
        assert plain(w, done.stdout) == plain(w, here.stdout), fault
    done = w.run("--cat", "--no-cache", w.url("x.zip/tree/directory-003/of some depth/", "cut") + NAME)
    assert done.returncode == 0 and len(done.stdout) > 5, done


@test
def changed(w):
    """Another version while it is read: it is read anew, once, if nothing was shown; else what is intact is shown."""
    inside = "/tree/directory-003/of some depth/" + NAME
    every = [1]

    def always(handler, data, fault):
        handler.serve(data, tag=f'"{w.server.count(fault) // every[0]}"')

    w.server.http.RequestHandlerClass.fault_always = always
    for kind in ("zip", "tar.gz", "tar.zst", "sqlar"):
        for options, inner in ((["-l"], ""), (["--check"], ""), (["--cat"], inside), (["-lR", "--json"], "")):
            done, seen = w.fetched(*options, "--no-cache", w.url("x." + kind, "changed") + inner)
            here = w.run(*options, "b/x." + kind + inner)
            assert plain(w, done.stdout) == plain(w, here.stdout) and not done.stderr, (kind, options, done.stderr)
            assert [r[2] for r in seen].count(412) in range(1, 9), seen
            w.server.requests()
            done = w.run(*options, "--no-cache", w.url("x." + kind, "always") + inner)
            said(done, done.returncode, "it was changed while it was read (412)")
            assert done.returncode in (1, 2), done
        w.fetched("--unpack", "--no-cache", "--output=" + w.path("out"), w.url("x." + kind, "changed"))
        done = subprocess.run(["diff", "-r", w.path("tree"), w.path("out", "tree")], capture_output=True, check=False)
        assert done.returncode == 0, (kind, done.stdout[:300])
        shutil.rmtree(w.path("out"))
    # What suffers of it when unpacking has begun is counted.
    every[0] = 2
    w.server.requests()
    done = w.run("--unpack", "--no-cache", "--output=" + w.path("out"), w.url("x.tar.zst", "always"))
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 1 and len(lines) == 2 and lines[0].endswith("was read (412); run lsr again"), done.stderr[:900]
    assert re.search(r"^lsr: 3,[67]\d\d members of '.*/x.tar.zst' could not be unpacked as a whole$", lines[1]), lines
    shutil.rmtree(w.path("out"))
    # Other bytes of another size.
    def grown(handler, data, fault):
        first = w.server.count(fault) == 0
        handler.serve(data if first else w.server.files["x.zip"], tag='"one"' if first else '"two"')

    w.server.http.RequestHandlerClass.fault_longer = grown
    w.server.files["y.zip"] = w.server.files["x.zip"][: 3 << 20]
    done, here = w.run("-lR", "--no-cache", w.url("y.zip", "longer")), w.run("-lR", "b/x.zip")
    assert done.returncode == 0, done.stderr
    assert done.stdout == here.stdout.replace(b"b/x.zip", w.url("y.zip", "longer").encode())
    every[0] = 6
    w.server.requests()
    done = w.run("-lR", "--no-cache", w.url("x.tar", "always"))
    said(done, 1, "it cannot be read further: it was changed while it was read (412); run lsr again")
    assert b"a file of a usual length 00100" in done.stdout
    # Of two operands the first one is shown already when the other is changed while its members are read.
    every[0] = 3
    w.server.requests()
    done = w.run("--cat", "--no-cache", w.url("x.zip") + inside, w.url("x.zip", "always") + "/tree/large")
    said(done, 1, "it was changed while it was read (412)")


@test
def truncated(w):
    """Damage looks as it does here."""
    for kind in FORMATS[:5]:
        data = w.server.files["x." + kind]
        with open(w.path("b", "cut." + kind), "wb") as f:
            f.write(data[: len(data) * 2 // 3])
        w.server.files["cut." + kind] = data[: len(data) * 2 // 3]
        for options in (["-lR"], ["--check"]):
            there, here = w.run(*options, w.url("cut." + kind)), w.run(*options, "b/cut." + kind)
            assert there.returncode == here.returncode, (kind, options, there.returncode, here.returncode, there.stderr)
            assert plain(w, there.stdout) == plain(w, here.stdout), (kind, options)
            assert plain(w, there.stderr).replace(b"it is not", b"is not") == plain(w, here.stderr) or here.returncode == 2, (
                kind, there.stderr, here.stderr)  # fmt: skip
        os.unlink(w.path("b", "cut." + kind))


@test
def hostile(w):
    """Whatever a bundle says, nothing but ranges of its own object is asked for, each once, and not more than it has."""
    rng = random.Random(9)
    for turn in range(36):
        kind = ("zip", "tar.zst", "sqlar")[turn % 3]
        data = bytearray(w.server.files["x." + kind])
        end = 100 if kind == "sqlar" else len(data)
        for _ in range(rng.choice([1, 4, 30])):
            data[end - 1 - rng.randrange(min(end, rng.choice([40, 4000])))] = rng.choice([0, 1, 127, 255, rng.randrange(256)])
        w.server.files["bad." + kind] = bytes(data)
        w.server.requests()
        done = w.run("-lR", "--no-cache", w.url("bad." + kind))
        seen, size = w.server.requests(), len(data)
        assert done.returncode in (0, 1, 2), done
        for path, headers, status in seen:
            first, _, last = headers["Range"].removeprefix("bytes=").partition("-")
            assert path == "/plain/bad." + kind and status == 206, (path, status)
            assert not first or int(first) <= int(last) < size, headers["Range"]
        assert sum(fetched_bytes(r[1]["Range"], size) for r in seen) <= size + (1 << 20), seen


# --- what the process that parses knows ---------------------------------------------


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(p) for p in f.read().split()]


def memory(pid):
    with open(f"/proc/{pid}/maps", encoding="ascii") as maps, open(f"/proc/{pid}/mem", "rb") as mem:
        for line in maps:
            if line.split()[1][0] == "r" and "[v" not in line:
                first, last = (int(x, 16) for x in line.split()[0].split("-"))
                try:
                    mem.seek(first)
                    yield mem.read(last - first)
                except (OSError, ValueError, OverflowError):
                    pass


@test
def secrets(w):
    """While it waits for a range, the process that parses has no secret in its memory, its arguments or environment."""
    if os.geteuid() != 0:
        return "skipped: only root may look"
    with open(w.lsr, "rb") as f:
        if b"__asan_init" in f.read():
            return "skipped: a sanitizer keeps memory"
    held, go = threading.Event(), threading.Event()

    def hold(handler, data, fault):
        if handler.headers["Range"] != "bytes=-262144" and handler.headers["Range"] != "bytes=0-65535":
            held.set()
            go.wait(20)
        handler.serve(data)

    w.server.http.RequestHandlerClass.fault_hold = hold
    environ = {"PATH": os.environ["PATH"], "HOME": w.scratch, "AWS_SECRET_ACCESS_KEY": SECRET,
               "AWS_ACCESS_KEY_ID": "id", "AWS_ENDPOINT_URL": w.server.url}  # fmt: skip
    for url in ("s3://hold/x.tar", w.url("x.tar", "hold") + "?sig=" + SECRET):
        held.clear()
        go.clear()
        process = subprocess.Popen([w.lsr, "-l", "--confine=required", url], env=environ, stdout=subprocess.DEVNULL)
        try:
            assert held.wait(20), url
            time.sleep(0.2)
            pids = children(process.pid)
            comms = {}
            for pid in pids:
                with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                    comms[pid] = f.read().strip()
            parsers = [p for p in pids if comms[p] != "lsr-remote"]
            assert len(pids) == len(parsers) + 1 and parsers, comms
            for pid in parsers:
                with open(f"/proc/{pid}/status", encoding="ascii") as f:
                    assert re.search(r"^Seccomp:\t2$", f.read(), re.M)
                for part in memory(pid):
                    assert SECRET.encode() not in part, (url, comms[pid])
                for what in ("cmdline", "environ"):
                    with open(f"/proc/{pid}/{what}", "rb") as f:
                        assert SECRET.encode() not in f.read(), (url, comms[pid], what)
            # The one that holds them has them: the search finds what is there.
            helper = next(p for p in pids if comms[p] == "lsr-remote")
            assert any(SECRET.encode() in part for part in memory(helper))
        finally:
            go.set()
            assert process.wait(30) == 0
    return None


# --- an object store -----------------------------------------------------------------


@store_tests(TESTS)
def store(w, s):
    # Keys are plain text, whatever they have: what a URL escapes, and what a path would resolve.
    keys = {"x.zip": "x.zip"}
    for name in ("dir of/a+b%41", "ü ß/日本", "q?a=b&c#d", "it's (1) [2] {3} *!$;:@,~", "x..y/..z"):
        keys[name + ".tar.zst"] = "x.tar.zst"
    for key, name in keys.items():
        s.put(key, w.server.files[name])
    for key, name in keys.items():
        for inner in ("", "/tree/directory-003/of some depth"):
            done, here = w.run("-l", f"s3://bucket/{key}{inner}", env=s.account), w.run("-l", f"b/{name}{inner}")
            assert done.returncode == 0 and done.stdout == here.stdout, (key, inner, done.stderr)
    done = w.run("-l", "--stats", "s3://bucket/x.zip", env=s.account)
    assert re.search(rb"^fetches +1$", done.stderr, re.M), done.stderr
    said(w.run("-l", "s3://bucket/none.zip", env=s.account), 2,
         "'s3://bucket/none.zip': it cannot be opened: there is nothing of this name (404 NoSuchKey)")  # fmt: skip
    wrong_key = {**s.account, "AWS_SECRET_ACCESS_KEY": "wrong"}
    said(w.run("-l", "s3://bucket/x.zip", env=wrong_key), 2, "access is denied (403 SignatureDoesNotMatch)")


# --- a web server that others wrote ---------------------------------------------------

NGINX = """
daemon off; pid nginx.pid; error_log error.log; worker_processes 1;
events {{ }}
http {{
    log_format asked "$request_method $status $http_range";
    access_log access.log asked;
    client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
    server {{
        listen 127.0.0.1:{port} ssl http2;
        ssl_certificate {scratch}/cert.pem; ssl_certificate_key {scratch}/key.pem;
        location / {{ root {scratch}/www; }}
        location /whole/ {{ alias {scratch}/www/; max_ranges 0; }}
        location /private/ {{ alias {scratch}/www/; auth_basic "x"; auth_basic_user_file {scratch}/users; }}
        location /moved/ {{ rewrite ^/moved/(.*)$ /$1 redirect; }}
        location /down/ {{ return 302 http://127.0.0.1:1/x.zip; }}
    }}
}}
"""


def nginx_begin(w, port):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", w.path("key.pem"), "-out", w.path("cert.pem")],
                   check=True, capture_output=True)  # fmt: skip
    for name in ("www", "log"):
        os.makedirs(w.path(name), exist_ok=True)
    with open(w.path("users"), "w", encoding="ascii") as f:
        f.write("user:{PLAIN}" + SECRET + "\n")
    with open(w.path("nginx.conf"), "w", encoding="ascii") as f:
        f.write(NGINX.format(port=port, scratch=w.scratch))
    os.chmod(w.scratch, 0o755)  # it reads as another user
    server = subprocess.Popen(["nginx", "-p", w.path("log"), "-c", w.path("nginx.conf")])
    listening(port)
    return server


@test
def nginx(w):
    """https and HTTP/2, with the ETags and the ranges of nginx."""
    if not shutil.which("nginx") or not shutil.which("openssl"):
        return "skipped: no nginx"
    port = free_port()
    server = nginx_begin(w, port)
    base, trust = f"https://127.0.0.1:{port}", {"CURL_CA_BUNDLE": w.path("cert.pem")}
    try:
        names = {"x.zip": "x.zip", "a b+c%20d.tar.zst": "x.tar.zst", "ü/日本.sqlar": "x.sqlar", "x..y/..z.tar.gz": "x.tar.gz"}
        for name, kind in names.items():
            os.makedirs(os.path.dirname(w.path("www", name)), exist_ok=True)
            shutil.copy(w.path("b", kind), w.path("www", name))
            url = f"{base}/{name.replace('%', '%25').replace(' ', '%20')}"
            for inner, options in (("", "-lR"), ("/tree/directory-003/of%20some%20depth/" + NAME.replace(" ", "%20"), "--cat"),
                                   ("", "--check")):  # fmt: skip
                done, here = w.run(options, url + inner, env=trust), w.run(options, f"b/{kind}{inner.replace('%20', ' ')}")
                assert done.returncode == here.returncode == 0, (name, done.stderr)
                assert len(done.stdout.splitlines()) == len(here.stdout.splitlines()), (name, options)
        with open(w.path("log", "access.log"), encoding="ascii") as f:
            asked = f.read().splitlines()
        assert all(re.fullmatch(r"GET (206 bytes=[0-9-]+|304 .*)", line) for line in asked), asked
        said(w.run("-l", f"{base}/x.zip"), 2, "certificate", "; CURL_CA_BUNDLE can name a file of certificates to trust")
        said(w.run("-l", f"{base}/private/x.zip", env=trust), 2, "a name and a password, which ~/.netrc can have (401)")
        login = base.replace("//", f"//user:{SECRET}@")
        done = w.run("-l", "--no-cache", f"{login}/private/x.zip", env=trust)
        assert done.returncode == 0 and SECRET.encode() not in done.stdout, done.stderr
        with open(w.path(".netrc"), "w", encoding="ascii") as f:
            f.write(f"machine 127.0.0.1 login user password {SECRET}\n")
        assert w.run("-l", "--no-cache", f"{base}/private/x.zip", env=trust).returncode == 0
        os.unlink(w.path(".netrc"))
        assert w.run("-l", "--no-cache", f"{base}/moved/x.zip", env=trust).returncode == 0
        said(w.run("-l", f"{base}/down/x.zip", env=trust), 2, "redirects from https to http, which is not followed")
        # It has no ranges there: what is small is taken as a whole.
        assert w.run("-l", "--no-cache", f"{base}/whole/x.zip", env=trust).returncode == 0
        with open(w.path("www", "huge.zip"), "wb") as f:
            f.truncate(9 << 20)
        said(w.run("-l", f"{base}/whole/huge.zip", env=trust), 2, "the server sends whole objects only")
    finally:
        server.terminate()
        server.wait()
    return None


if __name__ == "__main__":
    sys.exit(main("lsr with bundles on servers"))
