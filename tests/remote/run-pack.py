#!/usr/bin/env python3
"""run-pack - lsr --pack into a bucket: a store of our own that fails where it is told to, versitygw, and MinIO

    tests/remote/run-pack.py --lsr build/asan/lsr [NAME...]

The store of our own counts requests and what is in flight; no time is measured.
"""

import contextlib
import hashlib
import os
import pty
import random
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from remote import RequestHandler  # noqa: E402
from stores import store_tests  # noqa: E402
from world import SECRET, TESTS, account, main, said, test  # noqa: E402

MIB = 1 << 20
PART = 8 * MIB


class Store:
    """Buckets with multipart uploads.  `trouble` gets the name of an operation, as PART3, and how often that came:

    it returns a status, "lost": done, but nothing is answered, "cut": neither, "hidden": an error behind 200, or None.
    """

    def __init__(self, trouble=None, tags=True):
        self.trouble, self.tags = trouble or (lambda name, n: None), tags
        self.objects, self.uploads, self.log, self.headers = {}, {}, [], {}
        self.lock, self.flight, self.most = threading.Lock(), 0, 0
        self.hold = None

    def __call__(self, handler):
        url = urllib.parse.urlsplit(handler.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        key = urllib.parse.unquote(url.path.split("/", 2)[2])
        number = query.get("partNumber", [""])[0]
        method = handler.command
        name = ("PART" + number if number else "CREATE" if "uploads" in query else "COMPLETE"
                if method == "POST" else "ABORT" if method == "DELETE" else method)  # fmt: skip
        with self.lock:
            self.log.append(name)
            self.headers[name] = handler.headers
            n = self.log.count(name)
            self.flight += 1
            self.most = max(self.most, self.flight)
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        if handler.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            raise AssertionError("wrong hash")
        if self.hold:
            self.hold(name)
        what = self.trouble(name, n)
        with self.lock:
            self.flight -= 1
            if what in (None, "lost"):
                status, headers, answer = getattr(self, "do_" + name.rstrip("0123456789"))(key, query, body, handler)
        if what in ("lost", "cut"):
            handler.close_connection = True
        elif what == "hidden":
            handler.plain(200, body=b"<?xml?>\n<Error><Code>InternalError</Code></Error>")
        elif what:
            handler.plain(what, body=b"<Error><Code>Told</Code></Error>")
        else:
            handler.plain(status, headers, answer)

    def tag(self, digest, behind=""):
        return f'"{digest if self.tags else digest[::-1].upper()}{behind}"'

    def do_HEAD(self, key, query, body, handler):
        if key not in self.objects:
            return 404, [], b""
        tag, data = self.objects[key]
        return 200, [("ETag", tag)], data

    def do_PUT(self, key, query, body, handler):
        if key in self.objects and handler.headers["If-None-Match"]:
            return 412, [], b""
        self.objects[key] = self.tag(hashlib.md5(body).hexdigest()), body
        return 200, [("ETag", self.objects[key][0])], b""

    def do_CREATE(self, key, query, body, handler):
        upload = f"an&id/{len(self.uploads)}+="
        self.uploads[upload] = {}
        return 200, [], f"<I><Key>k</Key><UploadId>{upload.replace('&', '&amp;')}</UploadId></I>".encode()

    def do_PART(self, key, query, body, handler):
        tag = self.tag(hashlib.md5(body).hexdigest())
        if query["uploadId"][0] not in self.uploads:
            return 404, [], b"<Error><Code>NoSuchUpload</Code></Error>"
        self.uploads[query["uploadId"][0]][int(query["partNumber"][0])] = tag, body
        return 200, [("ETag", tag)], b""

    def do_COMPLETE(self, key, query, body, handler):
        if query["uploadId"][0] not in self.uploads:
            return 404, [], b"<Error><Code>NoSuchUpload</Code></Error>"
        parts = self.uploads[query["uploadId"][0]]
        named = re.findall(rb"<PartNumber>(\d+)</PartNumber><ETag>([^<]*)</ETag>", body)
        assert [(int(n), t.decode()) for n, t in named] == [(n, parts[n][0]) for n in sorted(parts)], named
        if key in self.objects and handler.headers["If-None-Match"]:
            return 412, [], b"<Error><Code>PreconditionFailed</Code></Error>"
        del self.uploads[query["uploadId"][0]]
        data = b"".join(parts[n][1] for n in sorted(parts))
        digest = hashlib.md5(b"".join(hashlib.md5(parts[n][1]).digest() for n in sorted(parts))).hexdigest()
        tag = self.tag(digest, f"-{len(parts)}")
        self.objects[key] = tag, data
        return 200, [], f"<R><ETag>{tag.replace(chr(34), '&quot;')}</ETag></R>".encode()

    def do_ABORT(self, key, query, body, handler):
        found = self.uploads.pop(query["uploadId"][0], None)
        return (204 if found is not None else 404), [], b""


def begin(w, **kwargs):
    """A store, the account for it, and a file that makes a tar of six parts."""
    store = Store(**kwargs)

    def answer(handler, data, fault):
        store(handler)

    answer.any_name = True
    RequestHandler.fault_bucket = answer
    if not os.path.exists(w.path("big")):
        with open(w.path("big"), "wb") as f:
            f.write(random.Random(5).randbytes(42 * MIB))
    return store, account(w.server.url)


def pack(w, aws, *args, key="x.tar", source="big"):
    return w.run("--pack", source, f"--output=s3://bucket/{key}", "--mtime=@1", *args, env=aws)


def whole(w, store, done, key="x.tar", status=0):
    """The object has the bytes of a local bundle, and nothing else is left."""
    assert done.returncode == status, done.stderr
    w.run("--pack", "big", "--force", "--output=here.tar", "--mtime=@1")
    with open(w.path("here.tar"), "rb") as f:
        assert store.objects[key][1] == f.read()
    assert not store.uploads, store.uploads.keys()


@test
def parts(w):
    store, aws = begin(w)
    done = pack(w, aws, "--force")
    whole(w, store, done)
    steps = ["CREATE", *(f"PART{n}" for n in range(1, 7)), "COMPLETE"]
    assert sorted(store.log) == sorted(steps) and store.log[-1] == "COMPLETE", store.log
    assert store.most <= 4 and not store.headers["COMPLETE"]["If-None-Match"]
    # Without --force somebody asks before whether it is there, as not every store heeds If-None-Match.
    store, aws = begin(w)
    whole(w, store, pack(w, aws))
    assert sorted(store.log) == sorted(["HEAD", *steps]), store.log
    assert store.headers["COMPLETE"]["If-None-Match"] == "*"
    assert re.search(r"SignedHeaders=host;x-amz-content-sha256;x-amz-date,", store.headers["PART2"]["Authorization"])


@test
def small(w):
    """What is less than a part is one request, with the hash of its bytes."""
    store, aws = begin(w)
    assert pack(w, aws, key="x.tar.zst", source="tree").returncode == 0
    assert store.log == ["HEAD", "PUT"] and store.headers["PUT"]["If-None-Match"] == "*", store.log
    with open(w.path("sent.tar.zst"), "wb") as f:
        f.write(store.objects["x.tar.zst"][1])
    assert w.run("--check", "sent.tar.zst").returncode == 0
    store.log.clear()
    assert pack(w, aws, "--force", key="x.tar.zst", source="tree/directory-003").returncode == 0
    assert store.log == ["PUT"] and store.headers["PUT"]["If-None-Match"] is None, store.log
    for key in ("a/../b c+%41&ü?.zip", "./x.zip", "a//b.zip"):  # a key is no path
        assert pack(w, aws, key=key, source="tree/directory-003").returncode == 0 and key in store.objects, store.objects.keys()


@test
def repeated(w):
    """What may go better the next time is repeated, and nothing is said."""
    answers = {
        ("PART2", 1): 503, ("PART2", 2): 500, ("PART4", 1): "lost", ("CREATE", 1): 503, ("COMPLETE", 1): "hidden",
        ("HEAD", 1): 503,
    }  # fmt: skip
    store, aws = begin(w, trouble=lambda name, n: answers.get((name, n)))
    done = pack(w, aws)
    whole(w, store, done)
    assert len(done.stderr.splitlines()) == 1, done.stderr
    # The answer is lost when it is there already: asked again, the store knows no upload, and it is our own.
    for last in ("COMPLETE", "PUT"):
        store, aws = begin(w, trouble=lambda name, n, last=last: "lost" if (name, n) == (last, 1) else None)
        done = pack(w, aws) if last == "COMPLETE" else pack(w, aws, source="tree", key="x.tar.zst")
        assert done.returncode == 0 and len(store.objects) == 1, done.stderr
        assert store.log[len(store.log) - store.log[::-1].index(last) :][0] == "HEAD", store.log


@test
def failed(w):
    """Nothing is left, and one line says why."""
    for name, text in (
        ("CREATE", "access is denied (403 Told)"), ("PART3", "access is denied (403 Told)"),
        ("COMPLETE", "access is denied (403 Told)"), ("HEAD", None),
    ):  # fmt: skip
        store, aws = begin(w, trouble=lambda which, n, name=name: 403 if which == name else None)
        done = pack(w, aws)
        if text is None:  # who may not read may write
            assert done.returncode == 0, done
            continue
        said(done, 2, "cannot store 's3://bucket/x.tar': " + text)
        assert not store.uploads and not store.objects, (name, store.log)
        assert ("ABORT" in store.log) == (name != "CREATE"), store.log
    store, aws = begin(w, trouble=lambda which, n: 503 if which == "PART3" else None)
    said(pack(w, aws), 2, "the server is overloaded (503 Told), 5 times")
    assert store.log.count("PART3") == 5 and not store.uploads
    # A HEAD is answered without words, so what comes next says what is wrong.
    store, aws = begin(w, trouble=lambda which, n: 400 if which in ("HEAD", "PUT", "CREATE") else None)
    said(pack(w, aws), 2, "the server refuses (400 Told)")
    said(pack(w, aws, source="tree", key="x.zip"), 2, "the server refuses (400 Told)")
    # What cannot be taken back is told.
    store, aws = begin(w, trouble=lambda which, n: 403 if which in ("PART3", "ABORT") else None)
    said(pack(w, aws), 2, "access is denied (403 Told); parts of it may be left in the bucket")
    said(pack(w, {**aws, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"}), 2, "cannot connect to the server")


@test
def cut(w):
    """A store that refuses before it has read the body cuts the connection, and what it says is lost with it."""
    store, aws = begin(w, trouble=lambda name, n: {"PUT": "cut", "CREATE": 404}.get(name))
    for options in ([], ["--force"]):
        said(pack(w, aws, *options, source="tree", key="x.zip"), 2, "there is nothing of this name (404 Told)")
    assert not store.objects and store.log.count("CREATE") == 2, store.log
    # Where only such a request is cut, the object comes as a part.
    store, aws = begin(w, trouble=lambda name, n: "cut" if name == "PUT" else None)
    assert pack(w, aws, source="tree", key="x.zip").returncode == 0
    assert store.log[-4:] == ["PUT", "CREATE", "PART1", "COMPLETE"] and not store.uploads, store.log
    with open(w.path("sent.zip"), "wb") as f:
        f.write(store.objects["x.zip"][1])
    assert w.run("--check", "sent.zip").returncode == 0


@test
def there(w):
    """An object that is there stays, whether it was when packing began, or came meanwhile."""
    store, aws = begin(w)
    store.objects["x.tar"] = '"old"', b"old"
    said(pack(w, aws), 2, "'s3://bucket/x.tar' already exists; use --force to replace it")
    assert "COMPLETE" not in store.log and not store.uploads and store.objects["x.tar"][1] == b"old", store.log
    assert pack(w, aws, "--force").returncode == 0

    def meanwhile(name, n):
        if name in ("COMPLETE", "PUT"):
            store.objects["x.tar"] = store.objects["x.zip"] = '"new"', b"new"

    for key, source in (("x.tar", "big"), ("x.zip", "tree/large")):
        store, aws = begin(w, trouble=meanwhile)
        said(pack(w, aws, key=key, source=source), 2, f"'s3://bucket/{key}' already exists; use --force")
        assert not store.uploads and store.objects[key][1] == b"new", store.log


@test
def looked_at(w):
    """Where ETags are no hashes, the size of what is there is compared."""
    store, aws = begin(w, tags=False)
    whole(w, store, pack(w, aws, "--force"))
    assert store.log[-2:] == ["COMPLETE", "HEAD"], store.log

    def cut(name, n):
        if name == "HEAD" and store.objects:
            store.objects["x.tar"] = store.objects["x.tar"][0], b"less"

    store, aws = begin(w, tags=False, trouble=cut)
    said(pack(w, aws), 2, "what is there now is not what was sent; pack it again with --force")


@test
def interrupted(w):
    """However lsr ends, what was stored is taken back."""
    for number, group, where in (
        (signal.SIGINT, True, "PART3"), (signal.SIGTERM, False, "PART3"), (signal.SIGHUP, True, "PART3"),
        (signal.SIGKILL, False, "PART3"), (signal.SIGINT, True, "CREATE"),
    ):  # fmt: skip
        store, aws = begin(w)
        begun, go = threading.Event(), threading.Event()

        def hold(name, begun=begun, go=go, where=where):
            if name == where:
                begun.set()
                go.wait(20)

        store.hold = hold
        environ = {"PATH": os.environ["PATH"], "HOME": w.scratch, **aws}
        process = subprocess.Popen([w.lsr, "--pack", "big", "--output=s3://bucket/x.tar"], env=environ, cwd=w.scratch,
                                   start_new_session=True)  # fmt: skip
        assert begun.wait(60)
        (os.killpg if group else os.kill)(process.pid, number)
        if where == "CREATE":  # until it is answered, nobody knows what to abort
            time.sleep(0.3)
            go.set()
        status = process.wait(30)
        assert status == -number, status
        # lsr waits for it, unless it was killed.
        for _ in range(100 if number == signal.SIGKILL else 1):
            if "ABORT" not in store.log:
                time.sleep(0.05)
        go.set()
        assert "ABORT" in store.log and "COMPLETE" not in store.log and not store.uploads, (number, store.log)


@test
def progress(w):
    """The helper ends: one line says so.  And a terminal is told how much is stored."""
    def hold(name):
        time.sleep(0.3)
        if name == "PART3" and kill[0]:
            for pid in os.listdir("/proc"):
                with contextlib.suppress(OSError):
                    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
                        text = f.read()
                    if "(lsr-remote)" in text and text.split(") ")[1].split()[1] == str(process.pid):
                        os.kill(int(pid), signal.SIGKILL)

    environ = {"PATH": os.environ["PATH"], "HOME": w.scratch, "LC_ALL": "C.UTF-8"}
    for kill in ([True], [False]):
        store, aws = begin(w)
        store.hold = hold
        ours, theirs = pty.openpty()
        process = subprocess.Popen([w.lsr, "--pack", "big", "--output=s3://bucket/x.tar"], env={**environ, **aws},
                                   cwd=w.scratch, stderr=theirs)  # fmt: skip
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):
            while part := os.read(ours, 10000):
                said += part
        os.close(ours)
        last = said.split(b"\r\x1b[K")[-1]
        if kill[0]:
            assert process.wait(30) == 2 and b"lsr-remote has ended; parts of it may be left in the bucket" in last, said
        else:
            assert process.wait(30) == 0 and re.search(rb"storing: \d+\.\d MB", said) and b"1 file, " in last, said


@test
def damaged(w):
    """Of a bundle that turns out to be damaged no part is left."""
    store, aws = begin(w)
    w.run("--pack", "big", "--force", "--output=whole.tar.gz", "--compression-level=1")
    with open(w.path("whole.tar.gz"), "rb") as f, open(w.path("cut.tar.gz"), "wb") as to:
        to.write(f.read()[: 20 * MIB])
    done = pack(w, aws, source="cut.tar.gz")
    assert done.returncode == 2 and b"was not made" in done.stderr, done
    assert "CREATE" in store.log and not store.uploads and not store.objects, store.log


@test
def memory(w):
    """A store that is slower than packing does not make the helper grow."""
    with open(w.lsr, "rb") as f:
        if b"__asan_init" in f.read():
            return "skipped: a sanitizer keeps memory"
    store, aws = begin(w)
    found = []

    def hold(name):
        time.sleep(0.1)
        if name == "COMPLETE":
            for pid in os.listdir("/proc"):
                try:
                    with open(f"/proc/{pid}/status", encoding="ascii") as f:
                        text = f.read()
                except (OSError, ValueError):
                    continue
                if text.startswith("Name:\tlsr-remote\n") and f"PPid:\t{process.pid}\n" in text:
                    found.append(int(re.search(r"VmHWM:\s+(\d+)", text)[1]))

    store.hold = hold
    with open(w.path("sparse"), "wb") as f:
        f.truncate(200 * MIB)
    environ = {"PATH": os.environ["PATH"], "HOME": w.scratch, **aws}
    # A zip of level 0 has all the zeros.
    process = subprocess.Popen([w.lsr, "--pack", "sparse", "--compression-level=0", "--output=s3://bucket/x.zip"], cwd=w.scratch,
                               env=environ, stderr=subprocess.DEVNULL)  # fmt: skip
    assert process.wait(120) == 0
    assert len(store.objects["x.zip"][1]) > 200 * MIB and store.most <= 4
    assert len(found) == 1 and found[0] < 76 << 10, found
    return None


@test
def each(w):
    """A bundle for each subdirectory, below a prefix."""
    store, aws = begin(w)
    done = w.run("--pack", "--each", "tree", "--output=s3://bucket/all of it/", env=aws)
    names = [f"all of it/directory-{i:03}.tar.zst" for i in range(60)]
    assert done.returncode == 0 and sorted(store.objects) == names, (done.stderr, sorted(store.objects))
    # The others are packed where one is there already.
    del store.objects[names[7]]
    done = w.run("--pack", "--each", "tree", "--output=s3://bucket/all of it/", env=aws)
    assert done.returncode == 2 and len(store.objects) == 60, done.stderr
    assert done.stderr.count(b"already exists") == 59, done.stderr
    said(w.run("--pack", "--each", "tree", "--output=s3://bucket/all", env=aws), 2,
         "'s3://bucket/all' names one object: with --each, let it end in '/'")  # fmt: skip
    done = w.run("--pack", "tree/directory-003", "--output=s3://bucket/one/", env=aws)
    assert done.returncode == 0 and "one/directory-003.tar.zst" in store.objects, done.stderr


@test
def again(w):
    """A bundle on a server is packed again, into a file or into a bucket, as a bundle here is."""
    store, aws = begin(w)
    inside = "/tree/directory-003"
    for kind, inner, *options in (("zip", ""), ("tar.zst", inside), ("sqlar", inside, "--exclude=*7.txt"), ("tar.gz", "")):
        args = ["--pack", *options, "--mtime=@1", "--owner=0:0", "--force"]
        # Here a database is a file like others, unless a '/' is behind it.
        here = w.run(*args, f"b/x.{kind}{inner}" + "/" * (kind == "sqlar"), "--output=here.tar.zst")
        done = w.run(*args, w.url("x." + kind) + inner, "--output=there.tar.zst")
        assert done.returncode == here.returncode == 0, (done, here)
        up = w.run(*args, w.url("x." + kind) + inner, "--output=s3://bucket/x.tar.zst", env=aws)
        assert up.returncode == 0, up
        with open(w.path("here.tar.zst"), "rb") as f, open(w.path("there.tar.zst"), "rb") as g:
            assert f.read() == g.read() == store.objects["x.tar.zst"][1], kind
    done = w.run("--pack", "-C", "tree", w.url("x.zip") + inside, "--output=there.zip", "--dry-run")
    assert done.returncode == 0 and b"62 files" in done.stderr, done
    shown = w.url("none.zip")
    said(w.run("--pack", shown + "?sig=" + SECRET, "--output=no.zip"), 2, f"'{shown}': it cannot be opened: there is nothing")
    said(w.run("--pack", w.url("x.zip/none"), "--output=no.zip"), 2, "No such file")


@store_tests(TESTS)
def store(w, s):
    """The same bytes as in a file, in a store that others wrote; an object that is there stays."""
    begin(w)
    sources = [("tar.zst", "tree"), ("zip", "tree"), ("sqlar", "tree"), ("tar", "big"), ("sqlar", "big")]
    for kind, source in sources:
        key = f"new dir/ü k+%41 {source}.{kind}"
        url, args = f"s3://bucket/{key}", ["--pack", source, "--mtime=@1", "--owner=0"]
        done = w.run(*args, "--output=" + url, env=s.account)
        here = w.run(*args, "--force", "--output=here." + kind)
        assert done.returncode == here.returncode, (done.stderr, here.stderr)
        with open(w.path("here." + kind), "rb") as f:
            assert s.get(key) == f.read(), kind
        before = s.made(key)
        said(w.run(*args, "--output=" + url, env=s.account), 2, f"'{url}' already exists; use --force to replace it")
        assert s.made(key) == before
        done = w.run("--pack", "tree/directory-003", "--force", "--output=" + url, env=s.account)
        assert done.returncode == here.returncode and len(s.get(key)) < 200000, done
        assert w.run("-l", "--no-cache", url, env=s.account).returncode == 0
        assert s.uploads(key) == 0
    said(w.run("--pack", "tree", "--output=s3://none/k.zip", env=s.account), 2, "NoSuchBucket")
    said(w.run("--pack", "tree", "--output=http://h/k.zip"), 2, "only s3:// can be written to")
    wrong_key = {**s.account, "AWS_SECRET_ACCESS_KEY": "wrong"}
    for source in ("tree/large", "big"):
        done = w.run("--pack", source, "--output=s3://bucket/w.tar", env=wrong_key)
        said(done, 2, "access is denied (403")
    assert not s.is_there("w.tar")
    left = s.folder and os.path.join(s.folder, ".sgwtmp", "multipart")
    assert not left or not os.path.exists(left) or not os.listdir(left)


if __name__ == "__main__":
    sys.exit(main("lsr --pack into a bucket"))
