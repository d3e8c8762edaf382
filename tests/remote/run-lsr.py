#!/usr/bin/env python3
"""run-lsr - lsr with bundles on servers of our own, which must look as the same files do here

    tests/remote/run-lsr.py --lsr build/asan/lsr [--versitygw PATH] [NAME...]

lsr-remote is looked for beside lsr.  Requests are counted where the number is a promise; no time is measured.
"""

import argparse
import hashlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from remote import RequestHandler, Server  # noqa: E402

TESTS = {}
FORMATS = ["tar.zst", "zip", "sqlar", "tar", "tar.gz", "7z"]
NAME = "a file of a usual length 00181.txt"
SECRET = "ySecretOfTheTestySecret"


def test(f):
    TESTS[f.__name__] = f
    return f


class World:
    """A tree, its bundles, and a server that has them."""

    def __init__(self, lsr):
        self.lsr = lsr
        self.scratch = tempfile.mkdtemp()
        self.bundles = {}
        self.make()
        self.server = Server({})
        self.end()

    def path(self, *parts):
        return os.path.join(self.scratch, *parts)

    def make(self):
        rng = random.Random(7)
        for i in range(3600):
            folder = self.path("tree", f"directory-{i // 60:03}", "of some depth")
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, f"a file of a usual length {i:05}.txt"), "wb") as f:
                f.write(rng.randbytes(rng.randrange(900)) + b"text " * rng.randrange(300))
        with open(self.path("tree", "large"), "wb") as f:
            f.write(rng.randbytes(4 << 20))
        os.mkdir(self.path("b"))
        for kind in FORMATS:
            target = self.path("b", "x." + kind)
            if kind == "7z":
                if shutil.which("7z"):
                    subprocess.run(["7z", "a", "-mx=1", target, "tree/directory-003", "tree/large"], cwd=self.scratch, check=True,
                                   stdout=subprocess.DEVNULL)  # fmt: skip
                continue
            done = self.run("--pack", "tree", "--output=" + target)
            assert done.returncode in (0, 1), done.stderr
        with zipfile.ZipFile(self.path("b", "outer.zip"), "w") as z:
            z.write(self.path("b", "x.tar.zst"), "inner/x.tar.zst")
            z.write(self.path("b", "x.zip"), "inner/x.zip", zipfile.ZIP_DEFLATED)
            z.writestr("a name+%41 ü", "odd")
        with open(self.path("b", "no.zip"), "wb") as f:
            f.write(b"<html>" + bytes(100000))

    def run(self, *args, env=None, lsr=None):
        environ = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": self.scratch,
                   "AWS_EC2_METADATA_DISABLED": "true", "XDG_CACHE_HOME": self.path("cache"), **(env or {})}  # fmt: skip
        if "ASAN_OPTIONS" in os.environ:
            environ["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
        return subprocess.run([lsr or self.lsr, *args], cwd=self.scratch, env=environ, capture_output=True, check=False)

    def url(self, name, fault="plain"):
        return f"{self.server.url}/{fault}/{name}"

    def begin(self):
        for name in os.listdir(self.path("b")):
            with open(self.path("b", name), "rb") as f:
                self.server.files[name] = f.read()
        self.server.requests()

    def end(self):
        """Between tests nothing is remembered."""
        self.server.files.clear()
        shutil.rmtree(self.path("cache"), ignore_errors=True)
        self.begin()

    def fetched(self, *args, status=0, env=None):
        """What is said and shown, and the requests it took."""
        self.server.requests()
        done = self.run(*args, env=env)
        assert done.returncode == status, (args, done.returncode, done.stderr)
        return done, self.server.requests()


def plain(world, text):
    """Without what tells a URL from a path."""
    text = re.sub(rb"'" + world.server.url.encode() + rb"/[a-z-]+/([^']*)'", rb"'b/\1'", text)
    text = re.sub(world.server.url.encode() + rb"/[a-z-]+/", b"b/", text)
    return re.sub(rb"'(b/[^' ]*)'", rb"\1", text)


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


# --- names -------------------------------------------------------------------------


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


# --- what goes wrong ---------------------------------------------------------------


def said(done, status, *parts):
    assert done.returncode == status, done
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1 and SECRET not in lines[0], lines
    for part in parts:
        assert part in lines[0], (part, lines)


@test
def wrong(w):
    w.server.files["huge.zip"] = bytes(9 << 20)
    for options in (["-l"], ["--cat"], ["--check"], ["--unpack", "--output=" + w.path("out")]):
        shown = w.url("none.zip")
        url = w.url("none.zip").replace("//", "//user:" + SECRET + "@") + "?sig=" + SECRET
        said(w.run(*options, url), 2, f"'{shown}': it cannot be opened: there is nothing of this name (404)")
        said(w.run(*options, w.url("x.zip", "refused")), 2, "access is denied (403 AccessDenied)")
        said(w.run(*options, w.url("no.zip")), 2, "it is not a bundle")
        said(w.run(*options, "http://127.0.0.1:1/x.zip"), 2, "'http://127.0.0.1:1/x.zip': it cannot be opened: ")
        said(w.run(*options, "http:///x.zip"), 2, "the URL is not valid")
        said(w.run(*options, w.url("huge.zip", "no-ranges")), 2, "the server sends whole objects only")
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
    """Another version while it is read: what is intact is shown."""
    for kind in ("zip", "tar.gz", "tar.zst", "sqlar"):
        for options in (["-l"], ["--check"]):
            w.server.requests()
            done = w.run(*options, "--no-cache", w.url("x." + kind, "changed"))
            said(done, done.returncode, "it was changed while it was read (412)")
            assert done.returncode in (1, 2), done
    count = {}

    def later(handler, data, fault):
        count[handler.path] = count.get(handler.path, 0) + 1
        handler.serve(data, tag='"one"' if count[handler.path] < 6 else '"two"')

    w.server.http.RequestHandlerClass.fault_later = later
    done = w.run("-lR", "--no-cache", w.url("x.tar", "later"))
    said(done, 1, "it cannot be read further: it was changed while it was read (412)")
    assert b"a file of a usual length 00100" in done.stdout


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
            # The one that holds them has them: the search finds what is there.
            helper = next(p for p in pids if comms[p] == "lsr-remote")
            assert any(SECRET.encode() in part for part in memory(helper))
        finally:
            go.set()
            assert process.wait(30) == 0
    return None


# --- an object store -----------------------------------------------------------------


@test
def store(w):
    binary = w.versitygw or shutil.which("versitygw")
    if not binary:
        return "skipped: no versitygw"
    root = w.path("root")
    os.makedirs(os.path.join(root, "bucket", "dir of"))
    keys = {"x.zip": "x.zip", "dir of/a+b%41.tar.zst": "x.tar.zst"}
    for key, name in keys.items():
        shutil.copy(w.path("b", name), os.path.join(root, "bucket", key))
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    environ = {**os.environ, "ROOT_ACCESS_KEY": "user", "ROOT_SECRET_KEY": SECRET}
    server = subprocess.Popen([binary, "--port", f"127.0.0.1:{port}", "posix", root], env=environ,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    aws = {"AWS_ACCESS_KEY_ID": "user", "AWS_SECRET_ACCESS_KEY": SECRET,
           "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}  # fmt: skip
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        for key, name in keys.items():
            for inner in ("", "/tree/directory-003/of some depth"):
                done, here = w.run("-l", f"s3://bucket/{key}{inner}", env=aws), w.run("-l", f"b/{name}{inner}")
                assert done.returncode == 0 and done.stdout == here.stdout, (key, inner, done.stderr)
        said(w.run("-l", "s3://bucket/none.zip", env=aws), 2,
             "'s3://bucket/none.zip': it cannot be opened: there is nothing of this name (404 NoSuchKey)")  # fmt: skip
        store_packed(w, aws, root)
        wrong_key = {**aws, "AWS_SECRET_ACCESS_KEY": "wrong"}
        said(w.run("-l", "s3://bucket/x.zip", env=wrong_key), 2, "access is denied (403 SignatureDoesNotMatch)")
    finally:
        server.terminate()
        server.wait()
    return None


@test
def put(w):
    """An object is stored by one request with the hash of its bytes, again if the store is busy, or not at all."""
    stored, begun = [], threading.Event()

    def busyput(handler, data, fault):
        if handler.command == "GET":
            return handler.plain(404, body=b"<Error><Code>NoSuchKey</Code></Error>")
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        if w.server.count(fault) == 0:
            return handler.plain(503)
        stored.append((handler.headers, body))
        return handler.plain(200, [("ETag", '"new"')])

    def slowput(handler, data, fault):
        if handler.command == "GET":
            return handler.plain(404)
        begun.set()
        handler.rfile.read(10)
        time.sleep(1)
        body = handler.rfile.read(int(handler.headers["Content-Length"]) - 10)
        stored.append((handler.headers, body))
        handler.close_connection = True
        return None

    w.server.http.RequestHandlerClass.fault_busyput = busyput
    w.server.http.RequestHandlerClass.fault_slowput = slowput
    w.server.http.RequestHandlerClass.fault_takenput = (
        lambda h, data, fault: h.plain(404) if h.command == "GET" else h.plain(412)
    )
    aws = {"AWS_ACCESS_KEY_ID": "user", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": w.server.url}
    done = w.run("--pack", "tree", "--output=s3://busyput/x.tar.zst", env=aws)
    assert done.returncode == 0 and len(stored) == 1, done
    headers, body = stored.pop()
    assert headers["x-amz-content-sha256"] == hashlib.sha256(body).hexdigest() and headers["If-None-Match"] == "*"
    with open(w.path("sent.tar.zst"), "wb") as f:
        f.write(body)
    assert w.run("--check", "sent.tar.zst").returncode == 0
    w.run("--pack", "tree/directory-003", "--force", "--output=s3://busyput/x.tar.zst", env=aws)
    assert stored.pop()[0]["If-None-Match"] is None
    done = w.run("--pack", "tree/large", "--output=s3://takenput/x.zip", env=aws)
    said(done, 2, "'s3://takenput/x.zip' already exists; use --force")
    environ = {"PATH": os.environ["PATH"], "HOME": w.scratch, **aws}
    process = subprocess.Popen([w.lsr, "--pack", "tree", "--output=s3://slowput/x.tar"], env=environ, cwd=w.scratch)
    assert begun.wait(60)
    process.send_signal(signal.SIGINT)
    status = process.wait(30)
    assert status == 128 + signal.SIGINT, status
    time.sleep(2)
    # The server sees that the rest does not come.
    assert not stored or len(stored[0][1]) < int(stored[0][0]["Content-Length"]) - 10


def store_packed(w, aws, root):
    """--pack into a bucket: the same bytes as in a file; an object that is there stays."""
    for kind in ("tar.zst", "zip", "sqlar"):
        url, stored = f"s3://bucket/new dir/k+.{kind}", os.path.join(root, "bucket", "new dir", f"k+.{kind}")
        args = ["--pack", "tree", "--mtime=@1", "--owner=0"]
        done = w.run(*args, "--output=" + url, env=aws)
        here = w.run(*args, "--force", "--output=here." + kind)
        assert done.returncode == here.returncode, (done.stderr, here.stderr)
        with open(stored, "rb") as there, open(w.path("here." + kind), "rb") as f:
            assert there.read() == f.read(), kind
        before = os.stat(stored).st_mtime_ns
        said(w.run(*args, "--output=" + url, env=aws), 2, f"'{url}' already exists; use --force to replace it")
        assert os.stat(stored).st_mtime_ns == before
        done = w.run("--pack", "tree/directory-003", "--force", "--output=" + url, env=aws)
        assert done.returncode == here.returncode and os.path.getsize(stored) < 200000, done
        assert w.run("-l", "--no-cache", url, env=aws).returncode == 0
    said(w.run("--pack", "tree", "--output=s3://none/k.zip", env=aws), 2, "NoSuchBucket")
    said(w.run("--pack", "tree", "--output=http://h/k.zip"), 2, "only s3:// can be written to")
    wrong_key = {**aws, "AWS_SECRET_ACCESS_KEY": "wrong"}
    said(w.run("--pack", "tree/large", "--output=s3://bucket/w.zip", env=wrong_key), 2, "access is denied (403")
    assert not os.path.exists(os.path.join(root, "bucket", "w.zip"))


def weak_all(handler, data, fault):
    """No ETag, only a time."""
    handler.serve(data, tag=None, modified="Mon, 01 Jan 2024 00:00:00 GMT")


def main():
    parser = argparse.ArgumentParser(description="lsr with bundles on servers")
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--versitygw")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    RequestHandler.fault_weak_all = weak_all
    w = World(os.path.abspath(args.lsr))
    w.versitygw = args.versitygw
    passed = failed = 0
    for name, f in TESTS.items():
        if args.names and name not in args.names:
            continue
        text = None
        try:
            text = f(w)
        except Exception:  # noqa: BLE001
            print(f"{name}: failed\n{traceback.format_exc()}")
            failed += 1
            continue
        finally:
            w.end()
        if text:
            print(f"{name}: {text}")
        passed += 1
    shutil.rmtree(w.scratch)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
