"""stores - object stores that others wrote and that enforce signatures, and a client for what tests look at there"""

import contextlib
import hashlib
import hmac
import http.client
import os
import shutil
import socket
import subprocess
import time
import urllib.parse

USER = "user"
PROGRAMS = ["versitygw", "minio"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def listening(port):
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(port)


class Store:
    """One that runs, with an empty bucket; `folder` is where versitygw keeps it, as files, and None of another one."""

    def __init__(self, port, secret, folder):
        self.host, self.secret, self.folder = f"127.0.0.1:{port}", secret, folder
        self.account = {"AWS_ACCESS_KEY_ID": USER, "AWS_SECRET_ACCESS_KEY": secret, "AWS_ENDPOINT_URL": f"http://{self.host}"}

    def headers(self, method, path, query, body):
        """Signed by version 4; `path` and `query` are escaped, and the query is sorted."""
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        found = {"host": self.host, "x-amz-content-sha256": hashlib.sha256(body).hexdigest(), "x-amz-date": now}
        names, scope = ";".join(found), f"{now[:8]}/us-east-1/s3/aws4_request"
        text = "".join(f"{name}:{value}\n" for name, value in found.items())
        whole = "\n".join([method, path, query, text, names, found["x-amz-content-sha256"]])
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(whole.encode()).hexdigest()])
        key = ("AWS4" + self.secret).encode()
        for part in (*scope.split("/"), text):
            key = hmac.digest(key, part.encode(), "sha256")
        found["Authorization"] = f"AWS4-HMAC-SHA256 Credential={USER}/{scope},SignedHeaders={names},Signature={key.hex()}"
        return found

    def ask(self, method, path, query="", body=b""):
        """(status, headers, body)"""
        path = urllib.parse.quote(path)
        connection = http.client.HTTPConnection(self.host, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path + "?" * bool(query) + query, body, self.headers(method, path, query, body))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def sure(self, *args):
        status, headers, body = self.ask(*args)
        assert status in (200, 204), (args[:2], status, body)
        return headers, body

    def put(self, key, data):
        self.sure("PUT", "/bucket/" + key, "", data)

    def get(self, key):
        return self.sure("GET", "/bucket/" + key)[1]

    def made(self, key):
        """What changes when it is written anew."""
        headers = self.sure("HEAD", "/bucket/" + key)[0]
        return headers["ETag"], headers["Last-Modified"]

    def is_there(self, key):
        return self.ask("HEAD", "/bucket/" + key)[0] != 404

    def uploads(self, key):
        """How many of it are under way."""
        query = f"prefix={urllib.parse.quote(key, safe='')}&uploads="
        return self.sure("GET", "/bucket", query)[1].count(b"<UploadId>")


def command(name, binary, port, folder, secret):
    if name == "versitygw":
        return [binary, "--port", f"127.0.0.1:{port}", "posix", folder], {"ROOT_ACCESS_KEY": USER, "ROOT_SECRET_KEY": secret}
    environ = {"MINIO_ROOT_USER": USER, "MINIO_ROOT_PASSWORD": secret, "MINIO_BROWSER": "off", "MINIO_UPDATE": "off"}
    return [binary, "server", "--quiet", "--address", f"127.0.0.1:{port}", folder], environ


@contextlib.contextmanager
def store(name, scratch, secret):
    """A Store in `scratch`; None where it is not installed."""
    binary = shutil.which(name)
    if not binary:
        yield None
        return
    folder, port = os.path.join(scratch, "root"), free_port()
    os.makedirs(folder)
    argv, environ = command(name, binary, port, folder, secret)
    server = subprocess.Popen(argv, env={"PATH": os.environ["PATH"], "HOME": scratch, **environ},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        listening(port)
        found = Store(port, secret, os.path.join(folder, "bucket") if name == "versitygw" else None)
        for _ in range(100):  # it may listen before it is ready
            if found.ask("PUT", "/bucket")[0] == 200:
                break
            time.sleep(0.1)
        yield found
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder)


def store_tests(tests):
    """A decorator: f(w, store) becomes a test for each of the stores."""

    def tell(f):
        for name in PROGRAMS:

            def one(w, name=name):
                with store(name, w.scratch, w.secret) as found:
                    return f(w, found) if found else f"skipped: no {name}"

            tests[f"{f.__name__}_{name}"] = one
        return f

    return tell
