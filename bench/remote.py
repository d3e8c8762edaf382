"""remote - bundles on a server: requests, bytes and time of lsr, against downloading and against rclone

The server is our own, in a process of its own.  It waits a latency before the first answer on a connection and before each
answer, and all its answers share one line, 1 Gbit/s unless said otherwise; so only what is asked for, and when, makes a
difference, and not the network at hand.  What it was asked for it counts itself.

A row's runs are interleaved with those of all other rows.  The start of lsr-remote is part of a run, and nothing is
remembered from one to the next, but in the row that says so.
"""
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

import corpus
import lib

SUMMARY = "bundles on a server: requests, bytes and time, against downloading them"

FILES, QUICK_FILES = 50000, 3000
ROUNDS, QUICK_ROUNDS = 11, 3
LATENCIES_MS, QUICK_LATENCIES_MS = [1, 20, 100], [20]
TARGET_LATENCY_MS = 20
RATE = 125_000_000          # bytes a second
PIECE = 64 << 10
MEMBERS = 200

# Targets at 20 ms: requests, milliseconds.
TARGETS = {
    "LSR1, list all": (3, 200), "LSR1, cat one": (4, 200), "zip, list all": (4, 300), "zip, cat one": (5, 320),
    "sqlar, cat one": (12, 350), "LSR1, list again": (1, 120), "LSR1, 200 unpacked": (40, None),
}  # fmt: skip


def add_options(parser):
    lib.add_options(parser)


# --- the server ---------------------------------------------------------------


class Line:
    """What all answers share."""

    def __init__(self):
        self.lock, self.free = threading.Lock(), 0.0
        self.latency, self.requests, self.bytes = 0.0, 0, 0

    def send(self, out, data):
        for at in range(0, len(data), PIECE):
            piece = data[at : at + PIECE]
            with self.lock:
                begin = max(self.free, time.monotonic())
                self.free = begin + len(piece) / RATE
                self.bytes += len(piece)
            if self.free - time.monotonic() > 0.0005:
                time.sleep(max(0, self.free - time.monotonic()))
            out.write(piece)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16
    line = files = None

    def setup(self):
        super().setup()
        time.sleep(self.line.latency)

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = self.path[1:]
        if name.startswith("?"):  # for the bench itself: /?MS counts anew with another latency
            counts = json.dumps([self.line.requests, self.line.bytes]).encode()
            self.line.latency, self.line.requests, self.line.bytes = float(name[1:]) / 1000, 0, 0
            return self.answer(200, [], counts)
        with self.line.lock:
            self.line.requests += 1
        time.sleep(self.line.latency)
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

    do_HEAD = do_GET

    def answer(self, status, headers, body):
        self.send_response(status)
        for header in headers:
            self.send_header(*header)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET" and status != 304:
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
        """(requests, bytes) since it was last asked; from now on it waits so long."""
        import urllib.request
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
    found = [str(p.relative_to(tree)) for p in tree.rglob("*") if p.is_file() and not p.is_symlink()]
    return folder, sorted(name for name in found if re.fullmatch(r"[\w./-]+", name))


def lanes(job, base, members):
    lsr, one = job.lsr, members[len(members) // 3]
    directory = os.path.dirname(one)
    out = f"rm -rf out; mkdir out; {lsr} --unpack --output=out --no-cache"
    some = " ".join(f"{base}/t.tar.zst/{m}" for m in random.Random(5).sample(members, min(MEMBERS, len(members))))
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
        "curl | lsr: tar.gz, list all": f"curl -s {base}/t.tar.gz | {lsr} -lR --no-cache -",
    }  # fmt: skip
    rclone = lib.find_peer("rclone")
    if rclone:
        at = f":http,url='{base}':"
        shell["rclone: LSR1, list all"] = f'{rclone} archive list "{at}t.tar.zst"'
        shell["rclone: zip, list all"] = f'{rclone} archive list "{at}t.zip"'
        shell["rclone: zip, cat one"] = f'{rclone} cat ":archive:{at}t.zip/{one}"'
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
    rows, order = [], random.Random(1)
    with Server(folder) as server:
        shell = lanes(job, server.url, members)
        job.note("with bash -c, in a scratch directory", [lib.Lane(k, ["bash", "-c", v]) for k, v in shell.items()])
        for latency in latencies:
            for turn in range(-1, rounds):  # the first one warms up
                for label in order.sample(list(shell), len(shell)):
                    server.counted(latency)
                    try:
                        wall, cpu = lib.timed_shell(shell[label], job.scratch, job.shell_env())
                    except lib.BenchError as error:
                        if not label.startswith("rclone"):
                            raise
                        lib.say(f"{label} left out: {error}")
                        del shell[label]
                        continue
                    requests, size = server.counted(latency)
                    if turn >= 0:
                        rows.append({"latency_ms": latency, "round": turn, "label": label, "wall_ns": wall,
                                     "cpu_us": round(cpu * 1e6), "requests": requests, "bytes": size})  # fmt: skip
    lib.write_tsv(job.dir / "runs.tsv", rows)


# --- the page ---------------------------------------------------------------------


def reached(label, requests, wall_ms):
    most, limit_ms = TARGETS.get(label, (None, None))
    if most is None:
        return ""
    return lib.verdict(requests <= most and (limit_ms is None or wall_ms <= limit_ms))


def target(label):
    most, limit_ms = TARGETS.get(label, (None, None))
    return "" if most is None else f"{most} requests" + (f", {limit_ms} ms" if limit_ms else "")


def render(run):
    found = {}
    for r in run.tsv("runs.tsv"):
        found.setdefault(int(r["latency_ms"]), {}).setdefault(r["label"], []).append(r)
    f = run.facts
    body = f"""{int(f['files']):,} files of the [corpus](bench-corpus.md) as one bundle each: LSR1 {int(f['bytes of t.tar.zst']):,} bytes, zip
{int(f['bytes of t.zip']):,}, sqlar {int(f['bytes of t.sqlar']):,}, tar.gz {int(f['bytes of t.tar.gz']):,}. A server of the bench's own waits the latency
before each answer and once for each connection; all answers share 1 Gbit/s. Medians of {f['rounds']} interleaved runs; the start of `lsr-remote`
is part of each. Nothing is remembered between runs but for *list again*, where the object is unchanged.
"""
    for latency, labels in found.items():
        rows = []
        for label, runs in labels.items():
            median = {c: lib.median([int(r[c]) for r in runs]) for c in ("wall_ns", "cpu_us", "requests", "bytes")}
            wall = median["wall_ns"] / 1e6
            targeted = latency == TARGET_LATENCY_MS and run.facts.get("mode") == "full"
            rows.append([label, f"{median['requests']:.0f}", f"{median['bytes'] / 1e6:.2f}", lib.ms(wall),
                         lib.ms(median["cpu_us"] / 1e3), *([target(label), reached(label, median["requests"], wall)]
                                                          if targeted else [])])  # fmt: skip
        head = ["", "requests", "MB", "wall ms", "CPU ms"] + (["target", ""] if len(rows[0]) > 5 else [])
        body += f"\n## {latency} ms\n\n{lib.table(head, rows)}"
    return "Bundles on a server", body, {}


def run(args):
    return lib.run_verb("remote", args, measure, render)
