"""remote - a client of lsr-remote, and a server with faults, for run-remote.py"""

import array
import http.server
import mmap
import os
import re
import socket
import struct
import subprocess
import threading
import time

BLOCK = 1 << 16
OPEN, NEED, CLOSE, OPENED, GOT, PUT, STORED = 1, 2, 3, 4, 5, 6, 7
OPEN_HEAD = struct.Struct("=3I4I I QQQ 128s")
ANSWER = struct.Struct("=IIiIII Q QQQQ 128s384s")


class Failed(Exception):
    """An answer with an error: errno and words."""

    def __init__(self, error, text, stats):
        super().__init__(error, text)
        self.error, self.text, self.stats = error, text, stats


class Object:
    def __init__(self, remote, number, answer, fds):
        self.remote, self.id = remote, number
        self.size, self.tag = answer["size"], answer["tag"]
        self.candidate, self.not_modified = answer["candidate"], answer["not_modified"]
        self.stats = answer["stats"]
        self.fds = fds
        self.bits = mmap.mmap(fds[1], os.fstat(fds[1]).st_size, mmap.MAP_SHARED, mmap.PROT_READ)

    def has(self, block):
        return self.bits[block // 8] >> block % 8 & 1

    def there(self):
        return sum(bin(b).count("1") for b in self.bits[:])

    def need(self, *ranges, wanted=()):
        message = struct.pack("=IIII", NEED, self.id, len(ranges), len(wanted))
        for offset, length in [*ranges, *wanted]:
            message += struct.pack("=QQ", offset, length)
        self.remote.socket.send(message)
        answer, _ = self.remote.answer(GOT, self.id)
        self.stats = answer["stats"]

    def read(self, offset, length):
        """As the worker does: look, ask for gaps, read."""
        blocks = range(offset // BLOCK, (offset + length - 1) // BLOCK + 1)
        if not all(self.has(b) for b in blocks):
            self.need((offset, length))
        assert all(self.has(b) for b in blocks), "answered, and not there"
        return os.pread(self.fds[0], length, offset)

    def close(self):
        self.remote.socket.send(struct.pack("=II", CLOSE, self.id))
        self.bits.close()
        for fd in self.fds:
            os.close(fd)


class Remote:
    """lsr-remote, started as lsr does."""

    def __init__(self, binary, environ):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(60)
        environ = {"LC_ALL": "C", "HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true", **environ}
        if os.environ.get("TRACE"):
            binary = ["strace", "-f", "-o", os.environ["TRACE"], binary]
        self.process = subprocess.Popen(binary, stdin=theirs, stderr=subprocess.PIPE, env=environ, close_fds=True)
        theirs.close()
        self.n = 0

    def answer(self, kind, number):
        fds = array.array("i")
        data, control, _, _ = self.socket.recvmsg(ANSWER.size, socket.CMSG_SPACE(8), socket.MSG_CMSG_CLOEXEC)
        for level, what, content in control:
            if (level, what) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                fds.frombytes(content)
        if len(data) != ANSWER.size:
            raise EOFError("lsr-remote has ended")
        v = ANSWER.unpack(data)
        text = lambda b: b.split(b"\0")[0].decode()
        stats = dict(zip(("requests", "retries", "bytes", "waited_ns"), v[7:11]))
        assert v[:2] == (kind, number), v[:2]
        if v[2]:
            raise Failed(-v[2], text(v[12]), stats)
        return {"candidate": v[3], "not_modified": v[4], "size": v[6], "stats": stats, "tag": text(v[11])}, list(fds)

    def open(self, url, ends=None, patience=2, bytes_max=0, known=("", 0), whole_max=0):
        url = os.fsencode(url)
        ends = ends or [len(url)]
        self.n += 1
        four = (ends + [0] * 4)[:4]
        tag = known[0].encode()
        head = OPEN_HEAD.pack(OPEN, self.n, len(ends), *four, patience, bytes_max, whole_max, known[1], tag)
        self.socket.send(head + url)
        return Object(self, self.n, *self.answer(OPENED, self.n))

    def end(self):
        """Its status and what it said; a sanitizer's report is both."""
        self.socket.close()
        said = self.process.stderr.read().decode()
        return self.process.wait(30), said


class Server:
    """http with ranges, and a fault for each first component of a path: /cut/x is x, cut short at first.

    `files` are contents by name; `seen` has the requests: path, headers, status.
    """

    def __init__(self, files, tls=None):
        self.files, self.seen, self.faults = files, [], {}
        self.lock = threading.Lock()
        server = self

        class Handler(RequestHandler):
            world = server

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None
        if tls:
            self.http.socket = tls.wrap_socket(self.http.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def count(self, name):
        """How often the fault was met before, this time not counted."""
        with self.lock:
            self.faults[name] = self.faults.get(name, 0) + 1
            return self.faults[name] - 1

    def requests(self):
        with self.lock:
            seen, self.seen = self.seen, []
            self.faults = {}
        return seen


class RequestHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_PUT(self):
        self.do_GET()

    do_HEAD = do_POST = do_DELETE = do_PUT

    def plain(self, status, headers=(), body=b""):
        self.entry[2] = status
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        world = self.world
        path = self.path.partition("?")[0]
        fault, _, name = path[1:].partition("/")
        self.entry = [self.path, dict(self.headers), 0]
        with world.lock:
            world.seen.append(self.entry)
        answer = getattr(self, "fault_" + fault.replace("-", "_"), self.serve)
        if name in world.files or getattr(answer, "any_name", False):
            answer(world.files.get(name), fault)
        else:
            self.plain(404)

    def serve(self, data, fault="plain", tag='"one"', modified=None, cut=None, slow=0, suffix=True, ranges=True,
              total=None):  # fmt: skip
        wanted = self.headers.get("Range", "") if ranges else ""
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
        tags = [("ETag", tag)] if tag else []
        tags += [("Last-Modified", modified)] if modified else []
        if self.headers.get("If-None-Match") == tag and tag:
            return self.plain(304, tags)
        if self.headers.get("If-Match", tag) != tag or self.headers.get("If-Unmodified-Since", modified) != modified:
            return self.plain(412)
        first, last, status = 0, len(data) - 1, 200
        if found:
            if not found[1] and not suffix:
                return self.plain(501)
            first = int(found[1]) if found[1] else max(0, len(data) - int(found[2]))
            last = min(int(found[2]), len(data) - 1) if found[1] and found[2] else len(data) - 1
            if first > last:
                return self.plain(416, [("Content-Range", f"bytes */{len(data)}")])
            status = 206
        body = data[first : last + 1]
        self.entry[2] = status
        self.send_response(status)
        for header in tags:
            self.send_header(*header)
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{total or len(data)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            if slow:
                self.wfile.write(body[: BLOCK + 10])
                self.wfile.flush()
                time.sleep(slow)
                body = body[BLOCK + 10 :]
            self.wfile.write(body if cut is None else body[:cut])
            if cut is not None:
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
        except OSError:
            self.close_connection = True

    def fault_cut(self, data, fault):
        """In the middle, each answer behind a block and a half."""
        self.serve(data, cut=BLOCK * 3 // 2)

    def fault_cut_always(self, data, fault):
        self.serve(data, cut=100)

    def fault_reset(self, data, fault):
        """Without an answer, twice."""
        if self.world.count(fault) < 2:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True
            return None
        return self.serve(data)

    def fault_busy(self, data, fault):
        n = self.world.count(fault)
        return self.plain(503 if n % 3 else 429) if n < 2 else self.serve(data)

    def fault_busy_always(self, data, fault):
        self.plain(503, body=b"<Error><Code>SlowDown</Code><Message>x</Message></Error>")

    def fault_busy_later(self, data, fault):
        return self.plain(503, [("Retry-After", "1")]) if self.world.count(fault) < 1 else self.serve(data)

    def fault_busy_long(self, data, fault):
        self.plain(429, [("Retry-After", "3600")])

    def fault_slow(self, data, fault):
        """Silent in the middle of the first answer."""
        self.serve(data, slow=15 if self.world.count(fault) == 0 else 0)

    def fault_short(self, data, fault):
        """206 and a valid length, fewer bytes than asked for."""
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if found and self.world.count(fault) < 2:
            first = int(found[1])
            body = data[first : first + 1000]
            self.plain(206, [("ETag", '"one"'), ("Content-Range", f"bytes {first}-{first + 999}/{len(data)}")], body)
        else:
            self.serve(data)

    def fault_other(self, data, fault):
        """Other bytes than those asked for."""
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if not found:
            return self.serve(data)
        return self.plain(206, [("ETag", '"one"'), ("Content-Range", f"bytes 7-16/{len(data)}")], data[7:17])

    def fault_changed(self, data, fault):
        """Another version from the second request on, by a server that heeds If-Match."""
        self.serve(data, tag='"one"' if self.world.count(fault) == 0 else '"two"')

    def fault_changed_heedless(self, data, fault):
        """And by one that does not."""
        n = self.world.count(fault)
        del self.headers["If-Match"]
        self.serve(data, tag='"one"' if n == 0 else '"two"')

    def fault_grown(self, data, fault):
        n = self.world.count(fault)
        self.serve(data, tag=None, total=len(data) + n)

    def fault_weak(self, data, fault):
        n = self.world.count(fault)
        self.serve(data, tag='W/"w"', modified=f"Mon, 01 Jan 2024 00:00:{0 if n < 2 else 1:02} GMT")

    def fault_no_ranges(self, data, fault):
        self.serve(data, ranges=False)

    def fault_mixed(self, data, fault):
        self.serve(data, ranges=data == b"ranged")

    def fault_no_suffix(self, data, fault):
        self.serve(data, suffix=False)

    def fault_suffix_ignored(self, data, fault):
        self.serve(data, ranges=not self.headers.get("Range", "").startswith("bytes=-"))

    def all_of_it(self, data):
        self.plain(206, [("ETag", '"one"'), ("Content-Range", f"bytes 0-{len(data) - 1}/{len(data)}")], data)

    def fault_suffix_all(self, data, fault):
        """To a suffix all of it, and as a range."""
        return self.all_of_it(data) if self.headers.get("Range", "").startswith("bytes=-") else self.serve(data)

    def fault_zero_all(self, data, fault):
        """And to what tells the size."""
        return self.all_of_it(data) if self.headers.get("Range") == "bytes=0-0" else self.serve(data, suffix=False)

    def fault_zero_long(self, data, fault):
        """The range that was asked for, and more bytes than it has."""
        if self.headers.get("Range") != "bytes=0-0":
            return self.serve(data, suffix=False)
        return self.plain(206, [("ETag", '"one"'), ("Content-Range", f"bytes 0-0/{len(data)}")], data)

    def fault_size_untold(self, data, fault):
        """What is empty has no range, and its size is not told, as by MinIO."""
        return self.serve(data) if data else self.plain(416, body=b"<Error><Code>InvalidRange</Code></Error>")

    def fault_refused(self, data, fault):
        self.plain(403, body=b"<Error><Code>AccessDenied</Code><Message>secret</Message></Error>")

    def fault_region(self, data, fault):
        self.plain(400, body=b"<Error><Code>AuthorizationHeaderMalformed</Code></Error>")

    def fault_legal(self, data, fault):
        self.plain(451)

    def fault_password(self, data, fault):
        self.plain(401)

    def fault_redirect(self, data, fault):
        """To where the world says."""
        self.plain(302, [("Location", self.world.redirect)])

    def fault_again(self, data, fault):
        self.plain(302, [("Location", self.path)])
