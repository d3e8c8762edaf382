#!/usr/bin/env python3
"""run-remote - lsr-remote against servers of our own with faults, and against versitygw and MinIO where they are installed

    tests/remote/run-remote.py --remote build/asan/lsr-remote [NAME...]

A client sends it the messages of src/remote/protocol.h.  The stores check signatures; they are looked for in PATH, and
tests with them are skipped where they are not; go-programs.sh builds them.
"""

import argparse
import errno
import os
import random
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from remote import BLOCK, Failed, Remote, Server  # noqa: E402
from stores import store_tests  # noqa: E402

MIB = 1 << 20
FILES = {
    "x": random.Random(1).randbytes(3 * MIB + 12345),
    "large": random.Random(2).randbytes(40 * MIB + 7),
    "tiny": b"a few bytes",
    "empty": b"",
    "tiny/x": b"ranged",
    "a/../x": b"below",
}
TESTS = {}


def test(f):
    TESTS[f.__name__] = f
    return f


class World:
    """What a test has: a server, and helpers that are ended with it."""

    def __init__(self, args):
        self.args, self.remotes, self.secret = args, [], "se/cret+"
        self.server = Server(FILES)
        self.scratch = tempfile.mkdtemp()

    def remote(self, **environ):
        self.remotes.append(Remote(self.args.remote, environ))
        return self.remotes[-1]

    def url(self, path):
        return f"{self.server.url}/{path}"

    def end(self):
        shutil.rmtree(self.scratch)
        for remote in self.remotes:
            status, said = remote.end()
            assert status == 0 and not said, f"lsr-remote: status {status}\n{said}"


def fails(error, text, f, *args, **kwargs):
    try:
        f(*args, **kwargs)
    except Failed as e:
        assert (e.error, e.text) == (error, text), (errno.errorcode.get(e.error), e.text)
        return e
    raise AssertionError(f"no error, expected: {text}")


def same(o, name, *ranges):
    for offset, length in ranges or [(0, len(FILES[name]))]:
        assert o.read(offset, length) == FILES[name][offset : offset + length], (offset, length)


# --- opening ------------------------------------------------------------------


@test
def open_tail(w):
    o = w.remote().open(w.url("plain/x"))
    seen = w.server.requests()
    assert [(r[1]["Range"], r[1]["Accept-Encoding"], r[2]) for r in seen] == [("bytes=-262144", "identity", 206)], seen
    assert (o.size, o.tag, o.candidate) == (len(FILES["x"]), '"one"', 0)
    assert o.there() == 4 and not o.has(0), o.there()
    same(o, "x", (o.size - 190000, 190000))
    assert not w.server.requests() and o.stats["bytes"] == 256 << 10


@test
def open_small(w):
    remote = w.remote()
    for name in ("tiny", "empty"):
        for way in ("plain", "no-ranges", "no-suffix", "suffix-ignored", "size-untold"):
            o = remote.open(w.url(f"{way}/{name}"))
            assert o.size == len(FILES[name])
            same(o, name, *([(0, o.size)] if o.size else []))
            o.close()


@test
def open_suffix_refused(w):
    ways = (("no-suffix", [501, 206, 206]), ("suffix-ignored", [200, 206, 206]), ("suffix-all", [206, 206, 206]))
    for way, statuses in ways:
        o = w.remote().open(w.url(f"{way}/large"))
        seen = w.server.requests()
        assert [r[2] for r in seen] == statuses, seen
        tail = (o.size - (256 << 10)) // BLOCK * BLOCK
        assert [r[1]["Range"] for r in seen[1:]] == ["bytes=0-0", f"bytes={tail}-{o.size - 1}"]
        assert o.stats["bytes"] < MIB
        same(o, "large", (o.size - 1000, 1000), (5, 10))
        w.server.requests()


@test
def open_more_than_asked(w):
    """A server that sends without end is not listened to."""
    for way in ("zero-all", "zero-long"):
        e = fails(errno.EPROTO, "the server sends other bytes than those asked for", w.remote().open, w.url(f"{way}/large"))
        assert e.stats["bytes"] <= MIB and e.stats["requests"] == 2, e.stats


@test
def open_without_ranges(w):
    o = w.remote().open(w.url("no-ranges/x"))
    same(o, "x")
    assert o.stats["requests"] == 1
    text = "the server sends whole objects only; use --download, or download it first"
    e = fails(errno.EOPNOTSUPP, text, w.remote().open, w.url("no-ranges/large"))
    assert e.stats["bytes"] == 0, e.stats
    assert len(w.server.requests()) == 3
    whole = w.remote().open(w.url("no-ranges/large"), whole_max=64 * MIB)
    same(whole, "large", (0, 100), (20 * MIB, MIB), (whole.size - 7, 7))
    assert whole.stats["requests"] == 2 and whole.stats["bytes"] == whole.size, whole.stats
    text = "the server sends whole objects only; use --download, or download it first"
    fails(errno.EOPNOTSUPP, text, w.remote().open, w.url("no-ranges/large"), whole_max=40 * MIB)
    fails(errno.EINVAL, "the request is not valid", w.remote().open, w.url("no-ranges/x"), whole_max=257 * MIB)


@test
def open_whole_only_if_it_must_be(w):
    """Who sends all for the end alone, but has ranges, is asked for these."""
    o = w.remote().open(w.url("suffix-ignored/large"), whole_max=64 * MIB)
    same(o, "large", (o.size - 1000, 1000))
    assert o.stats["bytes"] < MIB, o.stats


@test
def open_candidates(w):
    remote = w.remote()
    url = w.url("plain/x")
    o = remote.open(url + "/in/side", [len(url), len(url) + 3, len(url) + 8])
    assert o.candidate == 0 and o.size == len(FILES["x"])
    o = remote.open(url, [len(url) - 1, len(url)])
    assert o.candidate == 1
    # What has ranges comes before what came as a whole, which may be a page that says that there is nothing.
    mixed = w.url("mixed/tiny")
    assert remote.open(mixed + "/x", [len(mixed), len(mixed) + 2]).candidate == 1
    assert remote.open(mixed + "/y", [len(mixed), len(mixed) + 2]).candidate == 0
    fails(errno.ENOENT, "there is nothing of this name (404)", remote.open, url + "y/z", [len(url) + 1, len(url) + 3])
    wrong = w.url("refused/x")
    fails(errno.EACCES, "access is denied (403 AccessDenied)", remote.open, wrong + "/z", [len(wrong), len(wrong) + 2])
    # What is refused says more than what is not there.
    wrong = w.url("refused/a")
    ends = [len(wrong), len(wrong) + 5]
    fails(errno.EACCES, "access is denied (403 AccessDenied)", remote.open, wrong + "/../x", ends)


@test
def open_names(w):
    """Paths are sent as they are written."""
    remote = w.remote(AWS_ENDPOINT_URL=w.server.url, AWS_ACCESS_KEY_ID="K", AWS_SECRET_ACCESS_KEY="S")
    for url in (w.url("plain/a/../x"), "s3://plain/a/../x"):
        same(remote.open(url), "a/../x")
        assert w.server.requests()[0][0] == "/plain/a/../x"
    for url, path in (
        (w.url("plain/é ü|"), "/plain/%C3%A9%20%C3%BC%7C"),
        (w.url("plain/%41%2f+?a=b&c%20"), "/plain/%41%2f+?a=b&c%20"),
        ("s3://plain/%41 +?a=b", "/plain/%2541%20%2B%3Fa%3Db"),
    ):
        fails(errno.ENOENT, "there is nothing of this name (404)", remote.open, url)
        assert w.server.requests()[0][0] == path


@test
def open_known(w):
    remote = w.remote()
    o = remote.open(w.url("plain/x"), known=('"one"', len(FILES["x"])))
    assert o.not_modified and o.size == len(FILES["x"]) and o.stats["bytes"] == 0
    same(o, "x", (0, 100))
    assert [r[2] for r in w.server.requests()] == [304, 206]
    o = remote.open(w.url("plain/x"), known=('"old"', 5))
    assert not o.not_modified and o.size == len(FILES["x"])


@test
def open_bad(w):
    remote = w.remote()
    fails(errno.EINVAL, "the URL is not valid", remote.open, "ftp://h/x")
    fails(errno.EINVAL, "the URL is not valid", remote.open, "http://h/\r\nX: y")
    fails(errno.EINVAL, "the URL names a bucket and no key in it", remote.open, "s3://b/")
    fails(errno.EINVAL, "the request is not valid", remote.open, "http://h/x", [9, 8])
    fails(errno.ENOENT, "there is no such host", remote.open, "http://nothing.invalid/x")
    fails(errno.ECONNREFUSED, "cannot connect to the server", remote.open, "http://127.0.0.1:1/x")


# --- needing ------------------------------------------------------------------


@test
def need_merges(w):
    o = w.remote().open(w.url("plain/large"))
    w.server.requests()
    o.need((0, 10), (BLOCK * 2, 10), (BLOCK * 200 + 5, BLOCK))
    ranges = sorted(r[1]["Range"] for r in w.server.requests())
    assert len(ranges) == 2 and "bytes=0-196607" in ranges, ranges
    same(o, "large", (0, 3 * BLOCK), (BLOCK * 200, 2 * BLOCK))
    o.need((0, 10))
    assert not w.server.requests()


@test
def need_in_order_grows(w):
    o = w.remote().open(w.url("plain/large"))
    w.server.requests()
    for offset in range(0, 40 * MIB, 10000):
        same(o, "large", (offset, min(10000, o.size - offset)))
    seen = w.server.requests()
    lengths = [1 - eval(r[1]["Range"][6:]) for r in seen]  # "a-b"
    assert lengths[:3] == [BLOCK, 4 * BLOCK, 16 * BLOCK] and max(lengths) == 8 * MIB and len(seen) <= 12, lengths
    assert all(r[1]["If-Match"] == '"one"' for r in seen)
    assert o.stats["bytes"] <= o.size + BLOCK


@test
def need_wanted(w):
    o = w.remote().open(w.url("plain/large"))
    w.server.requests()
    o.need(wanted=[(4 * MIB, 100), (20 * MIB, 2 * MIB)])
    end = time.monotonic() + 20
    while o.there() < 4 + 1 + 32 and time.monotonic() < end:
        time.sleep(0.01)
    seen = w.server.requests()
    assert len(seen) == 2, seen
    same(o, "large", (4 * MIB, 100), (20 * MIB, 2 * MIB))
    assert not w.server.requests()


@test
def need_bad(w):
    remote = w.remote()
    o = remote.open(w.url("plain/x"))
    fails(errno.EINVAL, "what is needed is not in the object", o.need, (o.size, 1))
    fails(errno.EINVAL, "what is needed is not in the object", o.need, (1, 1 << 63))
    fails(errno.EINVAL, "the request is not valid", o.need, *[(0, 1)] * 4000, wanted=[(0, 1)] * 97)
    large = remote.open(w.url("plain/large"), bytes_max=2 * MIB)
    same(large, "large", (0, MIB))
    fails(errno.EDQUOT, "more would be fetched than its size explains", large.need, (20 * MIB, 2 * MIB))
    o.close()
    fails(errno.EINVAL, "the request is not valid", o.need, (0, 1))


@test
def need_is_bounded(w):
    """Of a large object 256 MiB are there at most, and what was taken away can be had again."""
    FILES["huge"] = bytes(1000) + bytes(320 * MIB)
    o = w.remote().open(w.url("plain/huge"))
    most = 0
    for offset in range(0, 320 * MIB, 32 * MIB):
        o.need((offset, 16 * MIB), (offset + 16 * MIB, 16 * MIB))
        most = max(most, o.there(), os.fstat(o.fds[0]).st_blocks * 512 // BLOCK)
    assert most <= 4096, most
    assert not o.has(0)
    same(o, "huge", (0, 10))
    fails(errno.E2BIG, "too much is needed at a time", o.need, (0, 65 * MIB))
    del FILES["huge"]


@test
def need_flight(w):
    """At most eight requests at a time."""
    lock, full, now = threading.Lock(), threading.Event(), [0]

    def flight(handler, data, fault):
        if handler.headers["Range"] == "bytes=-262144":
            return handler.serve(data)
        with lock:
            now.append(now[-1] + 1)
            if now[-1] == 8:
                full.set()
        full.wait(20)
        time.sleep(0.1)  # for one more, if there is one
        with lock:
            now.append(now[-1] - 1)
        return handler.serve(data)

    w.server.http.RequestHandlerClass.fault_flight = flight
    o = w.remote().open(w.url("flight/large"))
    o.need(*[(i * MIB * 2, 10) for i in range(19)])
    assert o.stats["requests"] == 20 and max(now) == 8, now
    same(o, "large", *[(i * MIB * 2, 10) for i in range(19)])


# --- faults -------------------------------------------------------------------


@test
def fault_cut(w):
    o = w.remote().open(w.url("cut/x"))
    same(o, "x")
    assert o.stats["retries"] > 20
    e = fails(errno.ECONNRESET, "the connection was cut, 5 times", w.remote().open, w.url("cut-always/x"))
    assert e.stats["requests"] == 5 and e.stats["retries"] == 4, e.stats


@test
def fault_reset(w):
    o = w.remote().open(w.url("reset/x"))
    same(o, "x", (0, 100))
    assert o.stats["retries"] == 2


@test
def fault_busy(w):
    o = w.remote().open(w.url("busy/x"))
    assert [r[2] for r in w.server.requests()] == [429, 503, 206] and o.stats["retries"] == 2
    fails(errno.EBUSY, "the server is overloaded (503 SlowDown), 5 times", w.remote().open, w.url("busy-always/x"))
    start = time.monotonic()
    w.remote().open(w.url("busy-later/x"))
    assert time.monotonic() - start >= 1
    text = "the server has too many requests (429); it asks to wait 3600 seconds"
    fails(errno.EBUSY, text, w.remote().open, w.url("busy-long/x"))


@test
def fault_slow(w):
    o = w.remote().open(w.url("slow/x"), patience=1)
    same(o, "x", (o.size - 190000, 190000))
    assert o.stats["retries"] == 1


@test
def fault_short(w):
    o = w.remote().open(w.url("short/x"))
    same(o, "x", (0, BLOCK))
    assert o.stats["retries"] == 2
    o = w.remote().open(w.url("other/x"))
    fails(errno.EPROTO, "the server sends other bytes than those asked for", o.need, (0, 10))


@test
def fault_changed(w):
    for way, status in (("changed", " (412)"), ("changed-heedless", ""), ("grown", "")):
        o = w.remote().open(w.url(f"{way}/x"))
        fails(errno.ESTALE, "it was changed while it was read" + status, o.need, (0, 10))
    o = w.remote().open(w.url("weak/x"))
    same(o, "x", (0, 10))
    fails(errno.ESTALE, "it was changed while it was read", o.need, (MIB, 10))


# --- redirects, TLS -----------------------------------------------------------


def certificate(w):
    key, crt = os.path.join(w.scratch, "key"), os.path.join(w.scratch, "crt")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", crt],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(crt, key)
    return context, crt


@test
def redirect(w):
    other = Server(FILES)
    w.server.redirect = other.url + "/plain/x?token=t"
    with open(os.path.join(w.scratch, ".netrc"), "w", encoding="ascii") as f:
        f.write("machine 127.0.0.1 login name password secret\n")
    remote = w.remote(HOME=w.scratch)
    o = remote.open(w.url("redirect/x"))
    same(o, "x", (0, 100))
    first, seen = w.server.requests(), other.requests()
    assert len(first) == 1 and first[0][1]["Authorization"].startswith("Basic "), first
    assert len(seen) == 2 and not any("Authorization" in r[1] for r in seen), seen
    o = remote.open(w.url("redirect/x").replace("//", "//user:password@"))
    assert "Authorization" in w.server.requests()[0][1] and "Authorization" not in other.requests()[0][1]
    # On the same server they stay.
    for place in ("/plain/x", w.url("plain/x")):
        w.server.redirect = place
        for helper, url in ((remote, w.url("redirect/x")), (w.remote(), w.url("redirect/x").replace("//", "//user:password@"))):
            helper.open(url)
            assert all("Authorization" in r[1] for r in w.server.requests()), (place, url)
    fails(errno.ELOOP, "the server redirects more than 5 times", remote.open, w.url("again/x"))
    w.server.redirect = "file:///etc/passwd"
    fails(errno.EINVAL, "the server redirects (302) to nothing that can be fetched", remote.open, w.url("redirect/x"))


@test
def redirect_expired(w):
    """A redirect that was good for a while: the first URL is asked again."""
    other = Server(FILES)
    w.server.redirect = other.url + "/plain/x"
    o = w.remote().open(w.url("redirect/x"))
    w.server.redirect = other.url + "/plain/x?again"
    other.files = {}
    fails(errno.ENOENT, "there is nothing of this name (404)", o.need, (0, 10))
    assert [r[0] for r in other.requests()] == ["/plain/x", "/plain/x", "/plain/x?again"]


@test
def tls(w):
    context, crt = certificate(w)
    server = Server(FILES, context)
    o = w.remote(SSL_CERT_FILE=crt).open(server.url + "/plain/x")
    same(o, "x", (0, 100))
    server.redirect = w.url("plain/x")
    text = "the server redirects from https to http, which is not followed"
    fails(errno.EPERM, text, w.remote(AWS_CA_BUNDLE=crt).open, server.url + "/redirect/x")
    assert not w.server.requests()
    text = "SSL certificate problem: self-signed certificate"
    fails(errno.EKEYREJECTED, text, w.remote().open, server.url + "/plain/x")
    wrong = server.url.replace("127.0.0.1", "localhost")
    try:
        w.remote(SSL_CERT_FILE=crt).open(wrong + "/plain/x")
    except Failed as e:
        assert e.error == errno.EKEYREJECTED and "localhost" in e.text, e
    else:
        raise AssertionError("a certificate of another host")


# --- what it gives up ---------------------------------------------------------


@test
def confined(w):
    """Descriptors that were handed out cannot be written; it ends when lsr does; it has no arguments."""
    remote = w.remote(AWS_SECRET_ACCESS_KEY="secret")
    o = remote.open(w.url("plain/x"))
    for fd in o.fds:
        try:
            os.write(fd, b"x")
        except OSError as e:
            assert e.errno == errno.EBADF
        else:
            raise AssertionError("it can be written")
    with open(f"/proc/{remote.process.pid}/cmdline", encoding="ascii") as f:
        assert f.read().split("\0")[1:] == [""]
    with open(f"/proc/{remote.process.pid}/status", encoding="ascii") as f:
        assert "NoNewPrivs:\t1" in f.read()
    with open(w.args.remote, "rb") as f:
        sanitized = b"__asan_init" in f.read()
    if not sanitized:
        # Of the same user, and without root's rights: as the process that parses.
        as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        binary = shutil.copy(w.args.remote, "/tmp/lsr-remote-%d" % os.getpid())
        environ = {"SECRET": "secret", "PATH": os.environ["PATH"]}
        process = subprocess.Popen([*as_user, binary], stdin=theirs, env=environ)
        theirs.close()
        time.sleep(1)
        look = subprocess.run([*as_user, "cat", f"/proc/{process.pid}/environ"], capture_output=True, check=False)
        ours.close()
        os.unlink(binary)
        assert process.wait(30) == 0
        assert look.returncode != 0 and b"secret" not in look.stdout, look
    done = subprocess.run([w.args.remote], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 2 and done.stderr == b"lsr-remote: lsr starts this program, to read bundles on servers\n"


@test
def messages_bad(w):
    """What is no message ends it, with status 1 and nothing else."""
    for message in (b"x", b"\0" * 400, b"\1\0\0\0", b"\2\0\0\0" * 2, b"\3\0\0\0" * 9):
        remote = Remote(w.args.remote, {})
        remote.socket.send(message)
        assert remote.socket.recv(10) == b""
        assert remote.end() == (1, "")


@test
def client(w):
    """lsr's own end of it, which the build for tests has in a program."""
    program = os.path.join(os.path.dirname(w.args.remote), "read-url")
    if not os.path.exists(program):
        return "skipped: no read-url beside lsr-remote"

    def read(helper, url, step):
        return subprocess.run([program, helper, url, str(step)], capture_output=True, check=False)

    for name, step in (("x", 100000), ("tiny", 5), ("empty", 1), ("large", 9 * MIB)):
        done = read("-", w.url(f"plain/{name}"), step)
        assert done.returncode == 0 and done.stdout == FILES[name], (name, step, done.stderr)
    done = read(w.args.remote, w.url("changed/x"), MIB)
    assert done.returncode == 1
    assert done.stderr == b"Stale file handle: it was changed while it was read (412)\n", done.stderr
    done = read(w.args.remote, w.url("plain/none"), MIB)
    assert done.stderr == b"No such file or directory: there is nothing of this name (404)\n", done.stderr
    done = read(w.scratch + "/none", w.url("plain/x"), MIB)
    assert done.stderr == b"start: No such file or directory\n", done.stderr
    assert read("/bin/true", w.url("plain/x"), MIB).stderr == b"Broken pipe: lsr-remote has ended\n"
    return None


# --- an object store that enforces signatures ---------------------------------

KEYS = ["plain.tar", "dir/a b.zip", "a+b", "100%", "%2f", "ü/ſ€😀", "a..b/..c", "q?x=y&z", "#hash#"]
KEYS += ["it's (a) *key*!", "a=b;c,d@e:f$g"]


@store_tests(TESTS)
def store(w, s):
    for key in KEYS:
        s.put(key, key.encode() + b"\n" + FILES["x"])
    remote = w.remote(**s.account)
    for name in ("tiny", "empty"):
        s.put(name, FILES[name])
        o = remote.open("s3://bucket/" + name)
        assert o.size == len(FILES[name]) and (not o.size or o.read(0, o.size) == FILES[name])
        o.close()
    for key in KEYS:
        o = remote.open("s3://bucket/" + key)
        assert o.read(0, 200000) == (key.encode() + b"\n" + FILES["x"])[:200000], key
        assert o.size == len(key.encode()) + 1 + len(FILES["x"])
        o.close()
    fails(errno.ENOENT, "there is nothing of this name (404 NoSuchKey)", remote.open, "s3://bucket/none")
    fails(errno.ENOENT, "there is nothing of this name (404 NoSuchBucket)", remote.open, "s3://none/none")
    wrong = w.remote(**{**s.account, "AWS_SECRET_ACCESS_KEY": "wrong"})
    fails(errno.EACCES, "access is denied (403 SignatureDoesNotMatch)", wrong.open, "s3://bucket/plain.tar")
    wrong = w.remote(AWS_ENDPOINT_URL=s.account["AWS_ENDPOINT_URL"])
    text = "access is denied (403 AccessDenied); no credentials were found: set AWS_PROFILE or AWS_ACCESS_KEY_ID"
    fails(errno.EACCES, text, wrong.open, "s3://bucket/plain.tar")
    o = remote.open("s3://bucket/plain.tar")
    o.need((0, 10))
    s.put("plain.tar", b"Plain.tar\n" + FILES["x"])
    fails(errno.ESTALE, "it was changed while it was read (412 PreconditionFailed)", o.need, (MIB, 10))
    if s.folder:  # what others put there has no ETag
        path = os.path.join(s.folder, "old.tar")
        with open(path, "wb") as f:
            f.write(FILES["x"])
        o = remote.open("s3://bucket/old.tar")
        os.utime(path, (1, 1))
        fails(errno.ESTALE, "it was changed while it was read", o.need, (0, 10))


@test
def store_region(w):
    """A bucket of another region: the store names it, and is asked again with a signature for that."""
    seen = []

    def answer(handler, data, fault):
        seen.append(handler.headers["Authorization"])
        if "/eu-west-1/" in seen[-1]:
            return handler.serve(data)
        return handler.plain(400, [("x-amz-bucket-region", "eu-west-1")])

    w.server.http.RequestHandlerClass.fault_bucket = answer
    keys = {"AWS_ACCESS_KEY_ID": "K", "AWS_SECRET_ACCESS_KEY": "S", "AWS_SESSION_TOKEN": "T"}
    remote = w.remote(AWS_ENDPOINT_URL=w.server.url, **keys)
    o = remote.open("s3://bucket/x")
    same(o, "x", (0, 10))
    assert len(seen) == 3 and "/us-east-1/s3/" in seen[0] and "x-amz-security-token" in seen[0], seen
    w.server.redirect = "http://127.0.0.1:1/"
    text = "the store sends elsewhere (302); set AWS_REGION or AWS_ENDPOINT_URL"
    fails(errno.EACCES, text, remote.open, "s3://redirect/x")
    text = "the server refuses (400 AuthorizationHeaderMalformed); set AWS_REGION to the region of the bucket"
    fails(errno.EINVAL, text, remote.open, "s3://region/x")


@test
def store_instance(w):
    """Credentials of an instance, by version 2 of its metadata; they are asked for again before they expire."""
    asked = []

    def answer(handler, data, fault):
        path = handler.path.partition("/meta/")[2]
        asked.append((handler.command, path, handler.headers["X-aws-ec2-metadata-token"]))
        body = {"latest/api/token": "tok", "latest/meta-data/iam/security-credentials/": "role"}.get(path)
        secret = '{"AccessKeyId":"IK%d","SecretAccessKey":"S","Token":"T",' % len(asked)
        secret += '"Expiration":"2020-01-01T00:00:00Z"}'
        return handler.plain(200, body=(body or secret).encode())

    w.server.http.RequestHandlerClass.fault_meta = answer
    role = "latest/meta-data/iam/security-credentials/"
    w.server.files = {**FILES, "latest/api/token": b"", role: b"", role + "role": b""}
    metadata = {"AWS_EC2_METADATA_DISABLED": "", "AWS_EC2_METADATA_SERVICE_ENDPOINT": w.url("meta/")}
    remote = w.remote(AWS_ENDPOINT_URL=w.server.url, **metadata)
    remote.open("s3://plain/x")
    assert [a[:2] for a in asked[:3]] == [
        ("PUT", "latest/api/token"),
        ("GET", "latest/meta-data/iam/security-credentials/"),
        ("GET", "latest/meta-data/iam/security-credentials/role"),
    ], asked
    assert [a[2] for a in asked] == [None, "tok", "tok"] * 2, asked
    authorization = w.server.requests()[-1][1]["Authorization"]
    assert "Credential=IK6/" in authorization and "x-amz-security-token" in authorization, authorization


@test
def store_account(w):
    text = "there is no profile 'p', which AWS_PROFILE names"
    fails(errno.EINVAL, text, w.remote(AWS_PROFILE="p").open, "s3://bucket/x")


def main():
    parser = argparse.ArgumentParser(description="lsr-remote against servers with faults")
    parser.add_argument("--remote", required=True)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    args.remote = os.path.abspath(args.remote)
    passed = failed = skipped = 0
    for name, f in TESTS.items():
        if args.names and name not in args.names:
            continue
        w = World(args)
        said = None
        try:
            try:
                said = f(w)
            finally:
                w.end()
        except Exception:  # noqa: BLE001
            print(f"{name}: failed\n{traceback.format_exc()}")
            failed += 1
            continue
        if said:
            print(f"{name}: {said}")
        passed, skipped = passed + (not said), skipped + bool(said)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
