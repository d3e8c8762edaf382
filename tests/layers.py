#!/usr/bin/env python3
"""layers - includes point downwards only, and the map of the code is true

The rule is in docs/architecture.md: a file may include from its own layer and
from the layers below it.  liburing is included by one header, which belongs
to two files, and every library of a foreign format by at most one file, which
may be the private header of a driver.  Threads are started in one file, which
says what holds for all of them.  What base/ has one of is not written again
elsewhere.

The head of src/main.c is the map: it names every layer that has a folder, no
other, each above those that it includes from, and the files that it names
exist.

Each C file and header below src/ and formats/ counts as one test, the map is
tested with src/main.c.

    tests/layers.py [--root DIR]    check the tree
    tests/layers.py --self-test     prove that violations are found
"""

import argparse
import os
import re
import sys
import tempfile

# What each layer may include besides itself.
BELOW = {
    "base": set(),
    "remote": {"base"},
    "io": {"base"},
    "catalogue": {"io", "base"},
    "formats": {"catalogue", "io", "base"},
    "worker": {"formats", "catalogue", "io", "base"},
    "entry": {"io", "base"},
    "source": {"worker", "entry", "formats", "catalogue", "io", "base"},
}
BELOW["listing"] = BELOW["source"] | {"source"}
BELOW["render"] = BELOW["listing"] | {"listing"}
BELOW["unpack"] = BELOW["source"] | {"source"}
BELOW["pack"] = BELOW["render"] | {"render"}
BELOW["compare"] = BELOW["pack"] | {"pack"}
BELOW["cli"] = BELOW["compare"] | {"compare", "unpack"}
BELOW["main"] = BELOW["cli"] | {"cli"}

# io/meta.h is all that entry.h needs from io.
ENTRY_MAY_INCLUDE = {"io/meta.h"}

LIBURING = re.compile(r"^liburing(\.h$|/)")
LIBURING_OWNER = "src/io/ring.h"
# lsr's end of lsr-remote, which is all of remote that other layers may include.
REMOTE_CLIENT = {"remote/client.h", "remote/protocol.h", "remote/url.h"}
REMOTE_USERS = {"worker", "source", "listing", "render", "cli"}
# Headers that not all of their layer may include.
KEPT = {"io/ring.h": ["src/io/ring.c", "src/io/uring-read.c", "src/io/uring.c"]}
ONE_OWNER = [
    "archive.h", "archive_entry.h", "sqlite3.h", "zstd.h", "lzma.h", "bzlib.h",
    "lz4frame.h", "zlib.h", "libdeflate.h", "curl/curl.h",
]  # fmt: skip
# A header that only files of this name may include: it is the owner of a library's header.
PRIVATE = {"formats/sqlite/sqlite.h": re.compile(r"^formats/sqlite/[\w-]+\.[ch]$")}
GENERATED = {"calls.h", "config.h", "encodings.h", "version.h"}

# What there is one of: what only some files may do, and what the others use.
THREADS = ["src/base/thread.c", "src/base/thread.h", "src/base/pool.c", "src/io/threads.c", "src/listing/read-ahead.c"]
ONE_OF_EACH = [
    (re.compile(r"\bpthread_create\([^)]"), ["src/base/thread.c"], "base/thread starts threads"),
    (re.compile(r"\blsr_thread_start\("), THREADS, "threads are in a base/pool"),
    (re.compile(r"\bvfork\(\);"), ["src/base/self.c"], "base/self executes this binary"),
    (re.compile(r'"/etc/(passwd|group)"'), ["src/base/accounts.c", "src/cli/list.c"], "base/accounts reads it"),
    (re.compile(r"% 3 == 0\b"), ["src/base/grouped.c"], "base/grouped puts commas into numbers"),
    (re.compile(r"\b0x[cC]2\b.*\b0x[eE]0\b"), ["src/base/utf8.h"], "base/utf8 knows what is valid"),
]

MAP_ROW = re.compile(r"^ \*      ([a-z]+)/ ", re.M)
MAP_FILE = re.compile(r"\b([a-z]+)/(\{[a-z,]+\}|[a-z][a-z.-]*)")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]')


def layer_of(path):
    """Layer of a path relative to src/ (formats as formats/x), or None."""
    if path == "entry.h":
        return "entry"
    if path == "main.c":
        return "main"
    head, _, rest = path.partition("/")
    return head if rest and head in BELOW and head not in ("entry", "main") else None


def sources(root):
    for top in ("src", "formats"):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def check_include(path, layer, quote, target):
    """What is wrong with one include, or None."""
    if LIBURING.match(target):
        return None if path == LIBURING_OWNER else f"only {LIBURING_OWNER} may include it"
    if target in KEPT and path not in KEPT[target]:
        return f"only {' and '.join(KEPT[target])} may include it"
    other = layer_of(target)
    if quote == "<" and other is None:
        return None
    if target in PRIVATE and not PRIVATE[target].match(path):
        return "private to its driver"
    if target in GENERATED:
        return None
    if other is None:
        return "not written relative to src/, or of no known layer"
    if layer == "entry" and other == "io" and target not in ENTRY_MAY_INCLUDE:
        return "entry.h takes io/meta.h alone from io"
    if target in REMOTE_CLIENT and layer in REMOTE_USERS:
        return None
    if other != layer and other not in BELOW[layer]:
        return f"{layer} may not include {other}"
    return None


def check_map(text, paths):
    """What is wrong with the map in the head comment of main.c, given the paths of all sources."""
    text = text.partition("*/")[0] if text.startswith("/*") else ""
    rows = MAP_ROW.findall(text)
    folders = {layer_of(p[4:] if p.startswith("src/") else p) for p in paths} - {"entry", "main", None}
    offences = [f"the map has no {folder}/" for folder in sorted(folders - set(rows))]
    for i, row in enumerate(rows):
        if row not in folders:
            offences.append(f"the map has {row}/, which has no sources")
        for above in rows[:i]:
            if above in BELOW.get(row, ()):
                offences.append(f"the map has {row}/ below {above}/, from which it may include")
    for folder, names in MAP_FILE.findall(MAP_ROW.sub(" *      ", text)):
        top = folder if folder == "formats" else f"src/{folder}"
        for name in names.strip("{}").split(","):
            if folder in BELOW and not {f"{top}/{name}{end}" for end in (".c", ".h", "")} & set(paths):
                offences.append(f"the map names {folder}/{name}, which does not exist")
    return offences


def check(root):
    """Returns ({file: [offence]}) for every file looked at."""
    result = {}
    owners = {}
    for path in sources(root):
        offences = result.setdefault(path, [])
        layer = layer_of(path[4:] if path.startswith("src/") else path)
        if layer is None:
            offences.append(f"{path}: in no known layer")
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
            for number, line in enumerate(f, 1):
                for pattern, allowed, instead in ONE_OF_EACH:
                    if pattern.search(line) and path not in allowed:
                        offences.append(f"{path}:{number}: {instead}")
                found = INCLUDE.match(line)
                if not found:
                    continue
                quote, target = found.groups()
                wrong = check_include(path, layer, quote, target)
                if wrong:
                    offences.append(f"{path}:{number}: {line.strip()}: {wrong}")
                if target in ONE_OWNER:
                    owners.setdefault(target, []).append(path)
    if "src/main.c" in result:
        with open(os.path.join(root, "src/main.c"), encoding="utf-8") as f:
            result["src/main.c"] += [f"src/main.c: {wrong}" for wrong in check_map(f.read(), list(result))]
    for header, paths in owners.items():
        unique = sorted(set(paths))
        for path in unique[1:]:
            result[path].append(f"{path}: <{header}> is included by {unique[0]} already; one file alone may")
    return result


def report(result):
    failed = 0
    for path in sorted(result):
        failed += bool(result[path])
        for offence in result[path]:
            print(offence)
    return len(result) - failed, failed


MAP = "/*\n *      {}\n *      {}\n */\n"

# (files of a small tree, the files that must be found guilty)
SELF_TESTS = [
    ({"src/base/a.h": "", "src/io/b.c": '#include "base/a.h"\n#include <stdio.h>\n'}, []),
    ({"src/base/a.h": '#include "io/io.h"\n'}, ["src/base/a.h"]),
    ({"src/io/b.c": '  #  include "render/quote.h"\n'}, ["src/io/b.c"]),
    ({"src/io/b.c": "#include <catalogue/c.h>\n"}, ["src/io/b.c"]),
    ({"src/render/r.c": '#include "quote.h"\n'}, ["src/render/r.c"]),
    ({"src/render/r.c": '#include "../base/out.h"\n'}, ["src/render/r.c"]),
    ({"src/render/r.c": '#include "listing/l.h"\n#include "entry.h"\n'}, []),
    ({"src/listing/l.c": '#include "render/quote.h"\n'}, ["src/listing/l.c"]),
    ({"src/catalogue/c.c": '#include "entry.h"\n'}, ["src/catalogue/c.c"]),
    ({"formats/tar/tar.c": '#include "formats/format.h"\n#include "catalogue/c.h"\n'}, []),
    ({"formats/tar/tar.c": '#include "source/source.h"\n'}, ["formats/tar/tar.c"]),
    ({"src/entry.h": '#include "io/meta.h"\n'}, []),
    ({"src/entry.h": '#include "io/io.h"\n'}, ["src/entry.h"]),
    ({"src/pack/p.c": '#include "compare/c.h"\n'}, ["src/pack/p.c"]),
    ({"src/unpack/u.c": '#include "source/s.h"\n', "src/cli/c.c": '#include "unpack/u.h"\n'}, []),
    ({"src/unpack/u.c": '#include "render/r.h"\n'}, ["src/unpack/u.c"]),
    ({"src/main.c": '#include "cli/cli.h"\n'}, []),
    ({"src/main.c": MAP.format("io/  x", "base/ y"), "src/io/b.c": "", "src/base/a.h": ""}, []),
    ({"src/main.c": MAP.format("io/  x", "argv"), "src/io/b.c": "", "src/base/a.h": ""}, ["src/main.c"]),
    ({"src/main.c": MAP.format("io/  x", "base/ y"), "src/io/b.c": ""}, ["src/main.c"]),
    ({"src/main.c": MAP.format("base/ y", "io/  x"), "src/io/b.c": "", "src/base/a.h": ""}, ["src/main.c"]),
    ({"src/main.c": MAP.format("io/  x", "argv ─► io/b"), "src/io/b.c": ""}, []),
    ({"src/main.c": MAP.format("io/  x", "argv ─► io/{b,c}"), "src/io/b.c": ""}, ["src/main.c"]),
    ({"src/io/ring.h": "#include <liburing.h>\n"}, []),
    ({"src/io/uring.c": "#include <liburing.h>\n"}, ["src/io/uring.c"]),
    ({"src/io/uring-read.c": "#include <liburing/io_uring.h>\n"}, ["src/io/uring-read.c"]),
    ({"src/io/uring.c": '#include "io/ring.h"\n', "src/io/uring-read.c": '#include "io/ring.h"\n'}, []),
    ({"src/io/stream.c": '#include "io/ring.h"\n'}, ["src/io/stream.c"]),
    ({"src/io/uring.h": '#include <io/ring.h>\n'}, ["src/io/uring.h"]),
    ({"src/io/sync.c": "#include <liburing.h>\n"}, ["src/io/sync.c"]),
    ({"formats/a.c": "#include <zstd.h>\n", "formats/b.c": "#include <zstd.h>\n"}, ["formats/b.c"]),
    ({"formats/sqlite/sqlite.h": "#include <sqlite3.h>\n", "formats/sqlite/x.c": '#include "formats/sqlite/sqlite.h"\n'}, []),
    ({"formats/sqlite/sqlite.h": "", "formats/tar/tar.c": '#include "formats/sqlite/sqlite.h"\n'}, ["formats/tar/tar.c"]),
    ({"src/source/s.c": '#include "remote/client.h"\n', "src/source/t.c": '#include "remote/http.h"\n'}, ["src/source/t.c"]),
    ({"formats/tar/tar.c": '#include "remote/client.h"\n'}, ["formats/tar/tar.c"]),
    ({"src/stray/x.c": ""}, ["src/stray/x.c"]),
    ({"src/helper.c": ""}, ["src/helper.c"]),
    ({"src/io/threads.c": "r = pthread_create(&t, NULL, run, t);\n"}, ["src/io/threads.c"]),
    ({"src/base/thread.c": "r = pthread_create(ret_thread, &attr, run, arg);\n"}, []),
    ({"src/base/pool.c": "r = lsr_thread_start(&t, 0, run, t);\n"}, []),
    ({"formats/filter/zstd.c": "r = lsr_thread_start(&t, 0, run, t);\n"}, ["formats/filter/zstd.c"]),
    ({"src/worker/start.c": "pid = vfork();\n"}, ["src/worker/start.c"]),
    ({"src/catalogue/acl.c": 'fopen("/etc/group", "re");\n'}, ["src/catalogue/acl.c"]),
    ({"formats/zip/zip.c": "if (p[0] < 0xc2 || p[0] >= 0xe0)\n"}, ["formats/zip/zip.c"]),
]  # fmt: skip


def self_test():
    failed = 0
    for files, guilty in SELF_TESTS:
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                    f.write(text)
            found = sorted(path for path, offences in check(root).items() if offences)
        if found != guilty:
            failed += 1
            print(f"self-test: {files}: found {found}, expected {guilty}")
    return len(SELF_TESTS) - failed, failed


def main():
    parser = argparse.ArgumentParser(description="check that includes point downwards only")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_args()
    passed, failed = self_test() if args.self_test else report(check(args.root))
    if not args.self_test and not passed + failed:
        print("no sources found")
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
