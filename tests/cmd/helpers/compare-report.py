#!/usr/bin/env python3
"""compare-report - are the documents that --compare writes well-formed, and do they agree with themselves?

    compare-report.py json|csv|html FILE

Prints what does not depend on the machine.
"""

import csv
import html.parser
import json
import re
import sys
import xml.etree.ElementTree

COSTS = "io_ns decode_ns total_ns user_ns system_ns peak_bytes device_bytes ring_ops ring_enters".split()


def check_json(path):
    with open(path, encoding="utf-8") as f:
        doc = json.load(f)
    print(doc["dir"].rpartition("/")[2], json.dumps({k: doc[k] for k in ("members", "files", "content_bytes", "cold", "random", "each")}))
    first = doc["ways"][0]
    for way in doc["ways"]:
        assert way["error"] is None and way["differs"] is False, way
        assert way["digest"] == first["digest"] and re.fullmatch("[0-9a-f]{16}", way["digest"]), way["digest"]
        assert (way["calls"] is None) == (way["untraced"] is not None), way
        assert way["calls"] is None or sum(way["calls"].values()) == way["syscalls"], way["calls"]
        totals = sorted(run["total_ns"] for run in way["runs"])
        assert way["total_min_ns"] == totals[0] and way["total_max_ns"] == totals[-1]
        assert all(list(run) == COSTS for run in way["runs"] + [way["median"]])
        assert abs(way["speedup"] - first["median"]["total_ns"] / way["median"]["total_ns"]) < 1e-3 * way["speedup"]
        print(way["name"], way["format"], way["files"], way["members"], way["content_bytes"], len(way["runs"]))
    assert all(isinstance(value, str) for value in doc["facts"].values()) and "kernel" in doc["facts"]
    assert re.match(r"Reading \d+ files one by one takes .*\.$", doc["words"]), doc["words"]


def check_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        text = f.read()
    rows = list(csv.DictReader(text.splitlines(), strict=True))
    assert text.count("\r\n") == text.count("\n") == len(rows) + 1
    for row in rows:
        assert None not in row and None not in row.values(), row
        assert all(int(row[name]) >= 0 for name in COSTS), row
        print(row["way"], row["format"] or "-", row["files"], row["members"], row["content_bytes"], row["runs"])


class Page(html.parser.HTMLParser):
    """Elements nest, and nothing comes from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.text = {}

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "img", "link", "iframe", "object"), tag
        assert not any(name in ("src", "href", "style") or name.startswith("on") for name, _ in attrs), attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open:
            where = "/".join(self.open)
            self.text[where] = self.text.get(where, "") + data


def check_html(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open, page.open
    pictures = re.findall(r"^<svg.*?^</svg>", text, re.M | re.S)
    for picture in pictures:
        xml.etree.ElementTree.fromstring(picture)
    assert len(pictures) in (1, 2)  # packing may pay or not
    rows = re.findall(r"<tr>(.*?)</tr>", text)
    assert len({len(re.findall("<t[dh]", row)) for row in rows}) == 1
    print(page.text["html/head/title"].rpartition("/")[2])
    print(len(rows), "rows")
    for fact in ("kernel", "null syscall", "cache"):
        assert f"<dt>{fact}</dt>" in text, fact


{"json": check_json, "csv": check_csv, "html": check_html}[sys.argv[1]](sys.argv[2])
