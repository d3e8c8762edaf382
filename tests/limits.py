#!/usr/bin/env python3
"""limits.py [--update] - the table of limits in docs/security.md is that of src/base/limits.h

Prints `N passed, N failed`.  --update writes the table anew, between the two lines that mark it.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HEADER, PAGE = os.path.join(ROOT, "src/base/limits.h"), os.path.join(ROOT, "docs/security.md")
BEGIN, END = "<!-- limits -->\n", "<!-- end of limits -->\n"
ROW = re.compile(r'X\(\s*(\w+),\s*"([^"]+)",\s*(\w+),\s*(.*?),\s*"([^"]*)"\s*\)', re.S)
KIB = 1024
WORDS = {"LSR_LIMIT_KIB": KIB, "LSR_LIMIT_MIB": KIB**2, "LSR_LIMIT_GIB": KIB**3, "LSR_LIMIT_ANY": (2**64 - 1) // 2}


def shown(unit, n):
    if unit == "BYTES":
        for letter in ("bytes", "KiB", "MiB", "GiB"):
            if n < KIB or n % KIB:
                return f"{n:,} {letter}"
            n //= KIB
        return f"{n:,} TiB"
    return f"{n:,} s" if unit == "SECONDS" else f"{n:,}"


def limits(text):
    table = text[text.index("#define LSR_LIMIT_TABLE(X)") : text.index("/* clang-format on */")].replace("\\\n", "\n")
    for _, name, unit, numbers, what in ROW.findall(table):
        value, least, most = (eval(n, {}, WORDS) for n in numbers.split(","))
        assert least <= value <= most, name
        yield name, shown(unit, value), what


def table(text):
    rows = "".join(f"| `{name}` | {value} | {what} |\n" for name, value, what in limits(text))
    return f"{BEGIN}\n| limit | unless you say otherwise | of what |\n| --- | --: | --- |\n{rows}\n{END}"


def main():
    with open(HEADER, encoding="utf-8") as f:
        wanted = table(f.read())
    with open(PAGE, encoding="utf-8") as f:
        page = f.read()
    first, last = page.index(BEGIN), page.index(END) + len(END)
    same = page[first:last] == wanted
    if "--update" in sys.argv[1:] and not same:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(page[:first] + wanted + page[last:])
        print("updated")
        return 0
    if not same:
        print("docs/security.md does not say what src/base/limits.h says: tests/limits.py --update")
    print(f"{int(same)} passed, {int(not same)} failed")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
