"""remote - bundles on a server: requests, bytes and time of lsr, against downloading and against other readers

The server is our own, in a process of its own.  It waits a latency before the first answer on a connection and before each
answer, and all its answers share one line, 1 Gbit/s unless said otherwise; so only what is asked for, and when, makes a
difference, and not the network at hand.  What it was asked for it counts itself.  It is an object store, too, as far as
an upload goes, and looks at no signatures.

A row's runs are interleaved with those of all other rows.  The start of lsr-remote is part of a run, and nothing is
remembered from one to the next, but in the row that says so.
"""
import hashlib
import http.server
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import socketserver
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import corpus
import lib
import picture

SUMMARY = "bundles on a server: requests, bytes and time, against downloading them"

FILES, QUICK_FILES = 50000, 3000
ROUNDS, QUICK_ROUNDS = 7, 2
SLOW_ROUNDS = 3             # of lanes that take seconds, and are measured at TARGET_LATENCY_MS alone
LATENCIES_MS, QUICK_LATENCIES_MS = [1, 20, 100], [20]
TARGET_LATENCY_MS = 20
RATE = 125_000_000          # bytes a second
PIECE = 64 << 10
MEMBERS = 200
MODIFIED = "Mon, 01 Jan 2024 00:00:00 GMT"

# Targets at 20 ms: requests, megabytes, those of a zip besides its central directory, milliseconds.
TARGETS = {
    "LSR1, list all": (3, 1.2, 200), "LSR1, cat one": (4, 1.5, 200), "zip, list all": (4, 0.5, 300), "zip, cat one": (5, 1.25, 320),
    "sqlar, cat one": (12, 1, 350), "LSR1, list again": (1, 0, 120), "LSR1, 200 unpacked": (40, None, None),
}  # fmt: skip
PART = 8 << 20              # bytes of a part of an upload, which takes parts + 2 requests

# And what a lane's wall time at 20 ms may be of that of another one.
RATIOS = [
    ("LSR1, list all", "rclone: LSR1, list all", 0.15), ("zip, list all", "rclone: zip, list all", 0.25),
    ("zip, cat one", "rclone: zip, cat one", 0.65), ("tar.gz, list all", "curl to lsr: tar.gz, list all", 1.1),
    ("pack to the store", "pack to a file", 1.1), ("pack to the store", "pack, then rclone rcat", 1.0),
]  # fmt: skip


def add_options(parser):
    lib.add_options(parser)


# --- the server ---------------------------------------------------------------


class Line:
    """What all answers share."""

    def __init__(self):
        self.lock, self.free = threading.Lock(), 0.0
        self.latency, self.requests, self.bytes, self.flight, self.most = 0.0, 0, 0, 0, 0

    def take(self, n):
        """The time that @n bytes need on the line, behind all others."""
        with self.lock:
            self.free = max(self.free, time.monotonic()) + n / RATE
            self.bytes += n
        if self.free - time.monotonic() > 0.0005:
            time.sleep(max(0, self.free - time.monotonic()))

    def send(self, out, data):
        for at in range(0, len(data), PIECE):
            self.take(len(data[at : at + PIECE]))
            out.write(data[at : at + PIECE])

    def receive(self, source, n):
        pieces = []
        while n > 0:
            pieces.append(source.read(min(n, PIECE)))
            n -= len(pieces[-1])
            self.take(len(pieces[-1]))
        return b"".join(pieces)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    line = files = None
    uploads, objects = {}, {}

    def setup(self):
        super().setup()
        time.sleep(self.line.latency)

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = self.path[1:]
        if name.startswith("?"):  # for the bench itself: /?MS counts anew with another latency
            line = self.line
            counts = json.dumps([line.requests, line.bytes, line.most]).encode()
            self.answer(200, [], counts)
            line.latency, line.requests, line.bytes, line.most = float(name[1:]) / 1000, 0, 0, 0
            return None
        with self.line.lock:
            self.line.requests += 1
            self.line.flight += 1
            self.line.most = max(self.line.most, self.line.flight)
        try:
            time.sleep(self.line.latency)
            return self.store() if name.startswith("bucket") else self.range(name)
        finally:
            with self.line.lock:
                self.line.flight -= 1

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

    def store(self):
        """Of S3 what it takes to store an object."""
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        body = self.line.receive(self.rfile, int(self.headers.get("Content-Length") or 0))
        digest, upload = hashlib.md5(body), query.get("uploadId", [""])[0]
        if self.command in ("HEAD", "GET"):
            found = self.objects.get(url.path)
            if not found:
                return self.answer(404, [], b"")
            return self.answer(200, [("ETag", found[0]), ("Last-Modified", MODIFIED)], bytes(found[1]))
        if self.command == "DELETE":
            return self.answer(204, [], b"")
        if "uploads" in query:
            upload = f"upload{self.line.requests}"
            self.uploads[upload] = {}
            return self.answer(200, [], f"<R><Bucket>b</Bucket><Key>k</Key><UploadId>{upload}</UploadId></R>".encode())
        if "partNumber" in query:
            self.uploads[upload][int(query["partNumber"][0])] = digest.digest(), len(body)
            return self.answer(200, [("ETag", f'"{digest.hexdigest()}"')], b"")
        if upload:
            parts = self.uploads.pop(upload)
            tag = f'"{hashlib.md5(b"".join(parts[n][0] for n in sorted(parts))).hexdigest()}-{len(parts)}"'
            self.objects[url.path] = tag, sum(n for _, n in parts.values())
            return self.answer(200, [], f"<R><ETag>{tag}</ETag></R>".encode())
        if self.command == "PUT":
            self.objects[url.path] = f'"{digest.hexdigest()}"', len(body)
        return self.answer(200, [("ETag", f'"{digest.hexdigest()}"')], b"")

    def range(self, name):
        if not name:  # rclone looks for an archive in the listing of its directory
            links = "".join(f'<a href="{n}">{n}</a>\n' for n in sorted(self.files))
            return self.answer(200, [("Content-Type", "text/html")], links.encode())
        data = self.files.get(name)
        if data is None:
            return self.answer(404, [], b"")
        tag = [("ETag", f'"{len(data)}"'), ("Accept-Ranges", "bytes")]
        if self.headers.get("If-None-Match") == tag[0][1]:
            return self.answer(304, tag, b"")
        found = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not found:
            return self.answer(200, tag, data)
        first = int(found[1]) if found[1] else max(0, len(data) - int(found[2]))
        last = min(int(found[2]), len(data) - 1) if found[1] and found[2] else len(data) - 1
        return self.answer(206, [*tag, ("Content-Range", f"bytes {first}-{last}/{len(data)}")], data[first : last + 1])

    def answer(self, status, headers, body):
        self.send_response(status)
        for header in headers:
            self.send_header(*header)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.line.send(self.wfile, body)
        self.wfile.flush()


class ThreadingServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


def serve(folder, ready):
    Handler.line = Line()
    Handler.files = {p.name: p.read_bytes() for p in pathlib.Path(folder).iterdir()}
    server = ThreadingServer(("127.0.0.1", 0), Handler)
    ready.send(server.server_port)
    server.serve_forever()


# --- measuring ------------------------------------------------------------------


class Server:
    def __enter__(self):
        ours, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(self.folder, theirs), daemon=True)
        self.process.start()
        self.url = f"http://127.0.0.1:{ours.recv()}"
        return self

    def __init__(self, folder):
        self.folder = folder

    def __exit__(self, *_):
        self.process.terminate()
        self.process.join()

    def counted(self, latency_ms):
        """(requests, bytes, the most at a time) since it was last asked; from now on it waits so long."""
        with urllib.request.urlopen(f"{self.url}/?{latency_ms}") as answer:
            return json.loads(answer.read())


def make(job, files):
    tree, folder = job.scratch / "tree", job.scratch / "served"
    share = max(1, corpus.FILES // files)
    corpus.make_corpus(tree, files, max(1, corpus.PACKAGES // share), corpus.BYTES // share)
    folder.mkdir()
    for name in ("t.tar.zst", "t.zip", "t.sqlar", "t.tar.gz"):
        done = subprocess.run([job.lsr, "--pack", ".", f"--output={folder / name}"], cwd=tree, capture_output=True, text=True)
        if done.returncode > 1:
            raise lib.BenchError(done.stderr.strip())
        job.facts[f"bytes of {name}"] = str((folder / name).stat().st_size)
    with open(folder / "t.zip", "rb") as f:
        f.seek(-22, os.SEEK_END)
        job.facts["central directory"] = str(int.from_bytes(f.read(22)[12:16], "little"))
    found = [str(p.relative_to(tree)) for p in tree.rglob("*") if p.is_file() and not p.is_symlink()]
    return folder, sorted(name for name in found if re.fullmatch(r"[\w./-]+", name))


def lanes(job, base, members):
    lsr, one = job.lsr, members[len(members) // 3]
    directory = os.path.dirname(one)
    out = f"rm -rf out; mkdir out; {lsr} --unpack --output=out --no-cache"
    # They are unpacked side by side, so no two may have the same name.
    apart = list({os.path.basename(m): m for m in random.Random(5).sample(members, len(members))}.values())
    some = " ".join(f"{base}/t.tar.zst/{m}" for m in apart[:MEMBERS])
    shell = {
        "LSR1, list all": f"{lsr} -lR --no-cache {base}/t.tar.zst",
        "LSR1, one directory": f"{lsr} -l --no-cache {base}/t.tar.zst/{directory}",
        "LSR1, cat one": f"{lsr} --cat --no-cache {base}/t.tar.zst/{one}",
        "LSR1, list again": f"{lsr} -lR {base}/t.tar.zst",
        f"LSR1, {MEMBERS} unpacked": f"{out} {some}",
        "zip, list all": f"{lsr} -lR --no-cache {base}/t.zip",
        "zip, cat one": f"{lsr} --cat --no-cache {base}/t.zip/{one}",
        "sqlar, cat one": f"{lsr} --cat --no-cache {base}/t.sqlar/{one}",
        "tar.gz, list all": f"{lsr} -lR --no-cache {base}/t.tar.gz",
        "curl, then lsr: LSR1, list all": f"curl -s -o got.tar.zst {base}/t.tar.zst && {lsr} -lR --no-cache got.tar.zst",
        "curl, then lsr: zip, list all": f"curl -s -o got.zip {base}/t.zip && {lsr} -lR --no-cache got.zip",
        "curl, then lsr: zip, cat one": f"curl -s -o got.zip {base}/t.zip && {lsr} --cat --no-cache got.zip/{one}",
        "curl to lsr: tar.gz, list all": f"curl -s {base}/t.tar.gz | {lsr} -lR --no-cache -",
    }  # fmt: skip
    return shell


def peer_versions(job):
    """Of the other programs of slow_lanes()."""
    rclone, python = lib.find_peer("rclone"), lib.BUILD / "python" / "bin" / "python"
    if rclone:
        job.version("rclone", rclone, "version")
    for package in ("remotezip", "ratarmountcore"):
        code = f"from importlib.metadata import version as v; print('{package}', v('{package}'))"
        job.version(package, str(python), "-c", code)


def slow_lanes(job, base, members):
    """What takes seconds, and other programs."""
    lsr, one, shell = job.lsr, members[len(members) // 3], {}
    account = f"AWS_ENDPOINT_URL={base} AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret AWS_EC2_METADATA_DISABLED=true"
    shell["pack to a file"] = f"{lsr} --pack tree --force --output=packed.tar.zst"
    shell["pack to the store"] = f"{account} {lsr} --pack tree --force --output=s3://bucket/packed.tar.zst"
    rclone, python = lib.find_peer("rclone"), lib.BUILD / "python" / "bin" / "python"
    if rclone:
        s3 = (f":s3,provider=Other,access_key_id=id,secret_access_key=secret,force_path_style=true,no_check_bucket=true,"
              f"endpoint='{base}':bucket/rclone.tar.zst")  # fmt: skip
        shell["pack, then rclone rcat"] = f'{lsr} --pack tree --output=- | {rclone} rcat "{s3}"'
        # Versions before 1.72 have no archives.
        if subprocess.run([rclone, "archive", "list", "--help"], capture_output=True, check=False).returncode == 0:
            web = f"RCLONE_CONFIG_WEB_TYPE=http RCLONE_CONFIG_WEB_URL={base} {rclone}"
            shell["rclone: LSR1, list all"] = f"{web} archive list web:t.tar.zst"
            shell["rclone: zip, list all"] = f"{web} archive list web:t.zip"
            shell["rclone: zip, cat one"] = f'{web} cat ":archive:web:/t.zip/{one}"'
    remotezip = lib.find_peer("remotezip")
    if remotezip:
        shell["remotezip: zip, list all"] = f"{remotezip} -l {base}/t.zip"
        shell["remotezip: zip, one member"] = f"{remotezip} -d got {base}/t.zip {one}"
    if subprocess.run([python, "-c", "import ratarmountcore, fsspec, aiohttp"], capture_output=True, check=False).returncode == 0:
        for kind in ("zip", "tar.zst"):
            shell[f"ratarmount: {'LSR1' if kind == 'tar.zst' else kind}, index"] = (
                f"{python} -c 'from ratarmountcore.mountsource.factory import open_mount_source as o; "
                f"o(\"{base}/t.{kind}\", writeIndex=False).list(\"/\")'")  # fmt: skip
    return shell


def measure(job):
    helper = pathlib.Path(job.args.lsr).with_name("lsr-remote")
    if not helper.exists():
        raise lib.BenchError(f"{helper} is missing: meson builds it where libcurl and nettle are")
    shutil.copy2(helper, pathlib.Path(job.lsr).with_name("lsr-remote"))
    lib.find_tool("curl")
    files, rounds = (QUICK_FILES, QUICK_ROUNDS) if job.quick else (FILES, ROUNDS)
    latencies = QUICK_LATENCIES_MS if job.quick else LATENCIES_MS
    folder, members = make(job, files)
    job.facts.update({"files": str(len(members)), "rounds": str(rounds), "rate": f"{RATE} bytes per second"})
    job.version("curl")
    peer_versions(job)
    rows, order = [], random.Random(1)
    with Server(folder) as server:
        shell, slow = lanes(job, server.url, members), slow_lanes(job, server.url, members)
        both = shell | slow
        job.note("with bash -c, in a scratch directory", [lib.Lane(k, ["bash", "-c", v]) for k, v in both.items()])
        for latency in latencies:
            for turn in range(-1, rounds):  # the first one warms up
                now = both if latency == TARGET_LATENCY_MS and turn < (QUICK_ROUNDS if job.quick else SLOW_ROUNDS) else shell
                for label in order.sample(list(now), len(now)):
                    server.counted(latency)
                    try:
                        wall, cpu = lib.timed_shell("set -o pipefail; " + now[label], job.scratch, job.shell_env())
                    except lib.BenchError as error:
                        if label not in slow or label.startswith("pack to"):
                            raise
                        lib.say(f"{label} left out: {error}")
                        del both[label]
                        continue
                    requests, size, most = server.counted(latency)
                    if turn >= 0:
                        rows.append({"latency_ms": latency, "round": turn, "label": label, "wall_ns": wall, "flight": most,
                                     "cpu_us": round(cpu * 1e6), "requests": requests, "bytes": size})  # fmt: skip
    lib.write_tsv(job.dir / "runs.tsv", rows)


# --- the page ---------------------------------------------------------------------


def target(label, facts):
    """(requests, bytes, milliseconds) at most; None: whatever it takes."""
    if label == "pack to the store":
        return -(-int(facts["bytes of t.tar.zst"]) // PART) + 2, None, None
    requests, megabytes, ms = TARGETS.get(label, (None, None, None))
    if megabytes is not None:
        megabytes = megabytes * 1e6 + (int(facts["central directory"]) if label.startswith("zip") else 0)
    return requests, megabytes, ms


def judged(label, facts, median):
    """The target in words, and whether it is reached."""
    limits = target(label, facts)
    found = median["requests"], median["bytes"], median["wall_ns"] / 1e6
    words = [w for limit, w in zip(limits, ("{:.0f} requests", "{:,.0f} bytes", "{} ms")) if limit is not None]
    if not words:
        return ["", ""]
    text = ", ".join(w.format(limit) for w, limit in zip(words, (x for x in limits if x is not None)))
    return [text, lib.verdict(all(limit is None or value <= limit for limit, value in zip(limits, found)))]


def ratios(walls, full):
    """Of lanes at the latency of the targets; @walls by label, of the same rounds."""
    rows = []
    for label, against, most in RATIOS:
        if label in walls and against in walls:
            ratio = walls[label] / walls[against]
            rows.append([label, against, f"{ratio:.2f}", *([f"≤ {most}", lib.verdict(ratio <= most)] if full else [])])
    return lib.table(["", "against", "ratio of wall times", *(["target", ""] if full else [])], rows, 2) if rows else ""


def drawing(found):
    """Wall time over latency."""
    kept = ["LSR1, list all", "LSR1, cat one", "zip, list all", "zip, cat one", "sqlar, cat one", "LSR1, list again",
            "curl, then lsr: LSR1, list all", "curl, then lsr: zip, list all"]  # fmt: skip
    series = {label: [(latency, lib.median([int(r["wall_ns"]) for r in labels[label]]) / 1e6)
                      for latency, labels in sorted(found.items()) if label in labels] for label in kept}  # fmt: skip
    return picture.lines("Wall time over latency", series, "ms of latency", "ms")


def render(run):
    found = {}
    for r in run.tsv("runs.tsv"):
        found.setdefault(int(r["latency_ms"]), {}).setdefault(r["label"], []).append(r)
    f = run.facts
    body = f"""{int(f['files']):,} files of the [corpus](bench-corpus.md) as one bundle each: LSR1 {int(f['bytes of t.tar.zst']):,} bytes, zip
{int(f['bytes of t.zip']):,}, sqlar {int(f['bytes of t.sqlar']):,}, tar.gz {int(f['bytes of t.tar.gz']):,}. A server of the bench's own waits the latency
before each answer and once for each connection; all that it sends and gets shares 1 Gbit/s. Medians of {f['rounds']} interleaved runs,
of {SLOW_ROUNDS} where other programs and packing are; the start of `lsr-remote` is part of each. Nothing is remembered between runs but for *list again*, where the object is unchanged.
"""
    full = f.get("mode") == "full"
    body += "\n" + lib.picture("remote", "latency", "wall time over latency")
    for latency, labels in found.items():
        rows, walls = [], {}
        for label, runs in sorted(labels.items()):
            median = {c: lib.median([int(r[c]) for r in runs]) for c in ("wall_ns", "cpu_us", "requests", "bytes", "flight")}
            walls[label] = median["wall_ns"]
            wall = median["wall_ns"] / 1e6
            targeted = latency == TARGET_LATENCY_MS and full
            rows.append([label, f"{median['requests']:.0f}", f"{median['flight']:.0f}", f"{median['bytes'] / 1e6:.2f}", lib.ms(wall),
                         lib.ms(median["cpu_us"] / 1e3), *(judged(label, f, median) if targeted else [])])  # fmt: skip
        head = ["", "requests", "at a time", "MB", "wall ms", "CPU ms"] + (["target", ""] if full and latency == TARGET_LATENCY_MS else [])
        body += f"\n## {latency} ms\n\n{lib.table(head, rows)}"
        if latency == TARGET_LATENCY_MS:
            body += "\n" + ratios(walls, full)
    return "Bundles on a server", body, {"latency": drawing(found)}


def run(args):
    return lib.run_verb("remote", args, measure, render)
