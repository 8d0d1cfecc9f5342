"""A reader of the store's archives by docs/store.md alone, without hashes: read_archive.py ARCHIVE [NAME].

Without NAME it lists modes, sizes and names; with one it writes that file, which it finds from directory to directory.
"""

import mmap
import struct
import sys

HEADER, ENTRY = 64, 40


class Archive:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, self.count, slots, length, self.data = struct.unpack_from("<8sIIQQ", self.bytes)
        assert magic == b"baopack\x01" and length == len(self.bytes), "not a whole archive"
        self.names = HEADER + self.count * ENTRY + slots * 4

    def entry(self, number):
        """(name, mode, offset, size, first child, number of children)"""
        at, length, mode, offset, size, _, first, children = struct.unpack_from("<IHHQQQII", self.bytes, HEADER + number * ENTRY)
        return self.bytes[self.names + at : self.names + at + length].decode(), mode, offset, size, first, children

    def find(self, path):
        """Binary search in each directory: what is in one is side by side, in the order of names."""
        entry, done = self.entry(0), ""
        for part in path.split("/"):
            done = f"{done}/{part}" if done else part
            low, high = entry[4], entry[4] + entry[5]
            while low < high:
                middle = (low + high) // 2
                if self.entry(middle)[0].encode() < done.encode():
                    low = middle + 1
                else:
                    high = middle
            if low == entry[4] + entry[5] or self.entry(low)[0] != done:
                raise FileNotFoundError(path)
            entry = self.entry(low)
        return entry

    def read(self, path):
        _, _, offset, size, _, _ = self.find(path)
        return self.bytes[offset : offset + size]


archive = Archive(sys.argv[1])
if len(sys.argv) > 2:
    sys.stdout.buffer.write(archive.read(sys.argv[2]))
else:
    for number in range(1, archive.count):
        name, mode, _, size, _, _ = archive.entry(number)
        print(f"{mode:06o} {size} {name}")
