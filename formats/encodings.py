#!/usr/bin/env python3
"""Make the tables of character sets in which bundles store names, of Python's codecs: what --encoding takes.

A static glibc has no modules for iconv.  Bytes below 0x80 are ASCII in all of them, but for two letters of a few.
"""

import codecs

# The codec, and how people call it, without what is no letter and no digit.
ENCODINGS = [
    *((f"cp{n}", f"{n} ibm{n}") for n in (437, 737, 775, 850, 852, 855, 857, 858, 860, 861, 862, 863, 864, 865, 866, 869)),
    *((f"cp{n}", f"{n} windows{n}") for n in range(1250, 1259)),
    *((f"iso8859-{n}", f"iso8859{n} latin{n}" if n <= 4 else f"iso8859{n}") for n in (*range(1, 12), *range(13, 17))),
    ("koi8-r", ""), ("koi8-u", ""), ("cp874", "874 tis620 windows874"), ("mac_roman", "macintosh"), ("mac_cyrillic", ""),
    ("cp932", "932 sjis shiftjis mskanji windows31j"), ("euc_jp", "ujis"), ("gbk", "cp936 936 gb2312"),
    ("cp949", "949 uhc euckr ksc5601"), ("big5", "cp950 950"),
]


def decode(codec, data):
    try:
        text = codecs.decode(data, codec)
    except UnicodeDecodeError:
        return 0
    return ord(text) if len(text) == 1 and ord(text) < 0x10000 else 0


def plain(name):
    return "".join(c for c in name.lower() if c.isalnum())


def numbers(values):
    return ",\n".join("        " + ", ".join(f"0x{v:04x}" for v in values[i : i + 12]) for i in range(0, len(values), 12))


print("/* Made by formats/encodings.py. */")
rows = []
for codec, words in ENCODINGS:
    name = plain(codec)
    single = [decode(codec, bytes([b])) for b in range(0x80, 0x100)]
    pairs = {}
    for lead in range(0x80, 0x100):
        if single[lead - 0x80] == 0:
            found = {t: decode(codec, bytes([lead, t])) for t in range(0x30, 0x100)}
            if any(found.values()):
                pairs[lead] = found
    print(f"static const uint16_t single_{name}[128] = {{\n{numbers(single)}\n}};")
    double = "NULL, 0, 0, 0, 0"
    if pairs:
        trails = [t for found in pairs.values() for t, c in found.items() if c]
        first, last, low, high = min(pairs), max(pairs), min(trails), max(trails)
        values = [pairs.get(lead, {}).get(t, 0) for lead in range(first, last + 1) for t in range(low, high + 1)]
        print(f"static const uint16_t double_{name}[] = {{\n{numbers(values)}\n}};")
        double = f"double_{name}, {first}, {last}, {low}, {high}"
    shown = codec.upper().replace("_", "-").replace("ISO8859", "ISO-8859")
    rows.append(f'        {{ "{shown}", " {name} {words} ", single_{name}, {double} }},')
print("const struct lsr_encoding lsr_encodings[] = {")
print("\n".join(rows))
print("        {}\n};")
