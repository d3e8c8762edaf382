"""rawzip - zips with any field as it should not be (APPNOTE 4.3)"""
import struct
import zlib


class Zip:
    def __init__(self, prefix=b""):
        self.data, self.central, self.n = bytearray(prefix), bytearray(), 0
        self.base = 0  # what recorded offsets leave out

    def add(self, name, content=b"", local=None, extra=b"", mode=0o100644, host=3, flags=0, method=0, size=None,
            dos=(40 << 25 | 7 << 21 | 2 << 16 | 3 << 11 | 4 << 5 | 3), at=None, attributes=0, packed=None):
        """@local: the name in the local header; @at: use the local header there and write none."""
        offset = len(self.data) if at is None else at
        size = len(content) if size is None else size
        packed = len(content) if packed is None else packed
        crc = zlib.crc32(content)

        def fields(name, extra):
            return struct.pack("<HHHIIIIHH", 20, flags, method, dos, crc, packed, size, len(name), len(extra))

        if at is None:
            first = name if local is None else local
            self.data += b"PK\3\4" + fields(first, b"") + first + content
        self.central += b"PK\1\2" + struct.pack("<H", host << 8 | 30) + fields(name, extra)
        self.central += struct.pack("<HHHII", 0, 0, 0, mode << 16 | attributes, offset - self.base) + name + extra
        self.n += 1
        return offset

    def end(self, comment=b"", disk=0, n=None):
        at, n = len(self.data), self.n if n is None else n
        self.data += self.central
        self.data += b"PK\5\6" + struct.pack("<HHHHIIH", disk, disk, n, n, len(self.central), at - self.base, len(comment))
        self.data += comment
        return bytes(self.data)


def extra(tag, data):
    return struct.pack("<HH", tag, len(data)) + data


def write(path, *members, **end):
    """Members are (name, keywords)."""
    z = Zip()
    for name, keywords in members:
        z.add(name, **keywords)
    with open(path, "wb") as f:
        f.write(z.end(**end))
