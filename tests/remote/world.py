"""world - a tree, its bundles, a server that has them, and lsr: for run-lsr.py and run-pack.py"""

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import traceback
import zipfile

from remote import RequestHandler, Server

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
        self.secret = SECRET
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


def said(done, status, *parts):
    assert done.returncode == status, done
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1 and SECRET not in lines[0], lines
    for part in parts:
        assert part in lines[0], (part, lines)


def weak_all(handler, data, fault):
    """No ETag, only a time."""
    handler.serve(data, tag=None, modified="Mon, 01 Jan 2024 00:00:00 GMT")


def account(url):
    return {"AWS_ACCESS_KEY_ID": "user", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": url}


def main(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--lsr", required=True)
    parser.add_argument("--corpus", help="bundles for the test `fixtures`, as tests/fuzz/seeds.py makes them")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    # Who started this may ignore them, as nohup does; lsr would inherit that.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    RequestHandler.fault_weak_all = weak_all
    w = World(os.path.abspath(args.lsr))
    w.args = args
    passed = failed = skipped = 0
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
        passed, skipped = passed + (not text), skipped + bool(text)
    shutil.rmtree(w.scratch)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0
