#!/usr/bin/env python3
"""layers - includes point downwards only

The rule is in docs/architecture.md: a file may include from its own layer and
from the layers below it.  liburing is included by one header, which belongs
to two files, and every library of a foreign format by at most one file, which
may be the private header of a driver.  Threads are started in one file, which
says what holds for all of them.  Each C file and header below src/ and
formats/ counts as one test.

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
    "io": {"base"},
    "catalogue": {"io", "base"},
    "formats": {"catalogue", "io", "base"},
    "entry": {"io", "base"},
    "source": {"entry", "formats", "catalogue", "io", "base"},
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
# Headers that not all of their layer may include.
KEPT = {"io/ring.h": ["src/io/ring.c", "src/io/uring-read.c", "src/io/uring.c"]}
ONE_OWNER = [
    "archive.h", "archive_entry.h", "sqlite3.h", "zstd.h", "lzma.h", "bzlib.h",
    "lz4frame.h", "zlib.h", "libdeflate.h",
]  # fmt: skip
# A header that only files of this name may include: it is the owner of a library's header.
PRIVATE = {"formats/sqlite.h": re.compile(r"^formats/sqlite(-\w+)?\.[ch]$")}
GENERATED = {"calls.h", "config.h", "version.h"}

THREAD = re.compile(r"\bpthread_create\([^)]")
THREAD_OWNER = "src/base/thread.c"

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
    if other != layer and other not in BELOW[layer]:
        return f"{layer} may not include {other}"
    return None


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
                if THREAD.search(line) and path != THREAD_OWNER:
                    offences.append(f"{path}:{number}: only {THREAD_OWNER} may start threads")
                found = INCLUDE.match(line)
                if not found:
                    continue
                quote, target = found.groups()
                wrong = check_include(path, layer, quote, target)
                if wrong:
                    offences.append(f"{path}:{number}: {line.strip()}: {wrong}")
                if target in ONE_OWNER:
                    owners.setdefault(target, []).append(path)
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
    ({"formats/tar.c": '#include "formats/format.h"\n#include "catalogue/c.h"\n'}, []),
    ({"formats/tar.c": '#include "source/source.h"\n'}, ["formats/tar.c"]),
    ({"src/entry.h": '#include "io/meta.h"\n'}, []),
    ({"src/entry.h": '#include "io/io.h"\n'}, ["src/entry.h"]),
    ({"src/pack/p.c": '#include "compare/c.h"\n'}, ["src/pack/p.c"]),
    ({"src/unpack/u.c": '#include "source/s.h"\n', "src/cli/c.c": '#include "unpack/u.h"\n'}, []),
    ({"src/unpack/u.c": '#include "render/r.h"\n'}, ["src/unpack/u.c"]),
    ({"src/main.c": '#include "cli/cli.h"\n'}, []),
    ({"src/io/ring.h": "#include <liburing.h>\n"}, []),
    ({"src/io/uring.c": "#include <liburing.h>\n"}, ["src/io/uring.c"]),
    ({"src/io/uring-read.c": "#include <liburing/io_uring.h>\n"}, ["src/io/uring-read.c"]),
    ({"src/io/uring.c": '#include "io/ring.h"\n', "src/io/uring-read.c": '#include "io/ring.h"\n'}, []),
    ({"src/io/stream.c": '#include "io/ring.h"\n'}, ["src/io/stream.c"]),
    ({"src/io/uring.h": '#include <io/ring.h>\n'}, ["src/io/uring.h"]),
    ({"src/io/sync.c": "#include <liburing.h>\n"}, ["src/io/sync.c"]),
    ({"formats/a.c": "#include <zstd.h>\n", "formats/b.c": "#include <zstd.h>\n"}, ["formats/b.c"]),
    ({"formats/sqlite.h": "#include <sqlite3.h>\n", "formats/sqlite-x.c": '#include "formats/sqlite.h"\n'}, []),
    ({"formats/sqlite.h": "", "formats/tar.c": '#include "formats/sqlite.h"\n'}, ["formats/tar.c"]),
    ({"src/stray/x.c": ""}, ["src/stray/x.c"]),
    ({"src/helper.c": ""}, ["src/helper.c"]),
    ({"src/io/threads.c": "r = pthread_create(&t, NULL, run, t);\n"}, ["src/io/threads.c"]),
    ({"src/base/thread.c": "r = pthread_create(ret_thread, &attr, run, arg);\n"}, []),
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
