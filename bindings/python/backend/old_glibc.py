"""Lets ELF files built with a new glibc run with an older one.

A symbol such as pow@GLIBC_2.29 also exists under an older version. This removes the symbol's version, so the loader uses the
function of the installed glibc. Functions without an older version must not occur (cmake/wheel_glibc.c provides them).
"""
import re
import struct

OLDEST = (2, 28)  # manylinux_2_28: RHEL 8, Debian 10, Ubuntu 18.10
RENEWED = "dlopen dlsym exp exp2 hypot log log2 pow pthread_condattr_setclock pthread_create pthread_join pthread_once pthread_sigmask __libc_start_main".split()


class Versions:
    """The tables of a 64-bit little-endian ELF file that bind its dynamic symbols to versions."""

    def __init__(self, content):
        self.content = bytearray(content)
        (headers,) = struct.unpack_from("<Q", content, 40)
        size, count, names = struct.unpack_from("<HHH", content, 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", content, headers + i * size) for i in range(count)]
        found = {self.string(sections[names][4] + section[0]): (section[4], section[5]) for section in sections}
        self.strings, self.symbols = found[".dynstr"][0], found[".dynsym"]
        self.used, self.needed = found.get(".gnu.version"), found.get(".gnu.version_r")

    def string(self, at):
        return self.content[at : self.content.index(0, at)].decode()

    def entries(self):
        """(offset, name, index) of each version that the file needs, and the first offset of the same library."""
        at = self.needed[0] if self.needed else None
        while at is not None:
            _, count, _, first, following = struct.unpack_from("<HHIII", self.content, at)
            place = at + first
            for _ in range(count):
                _, _, index, name, step = struct.unpack_from("<IHHII", self.content, place)
                yield place, self.string(self.strings + name), index
                place += step
            at = at + following if following else None


def _number(name):
    found = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def newest_version(content):
    """The newest version of glibc that an ELF file needs."""
    return max([(0, 0)] + [_number(name) for _, name, _ in Versions(content).entries()]) if content[:5] == b"\x7fELF\x02" else (0, 0)


def lower_versions(content):
    """The file with its symbols of versions after OLDEST unversioned."""
    if content[:6] != b"\x7fELF\x02\x01":
        return content
    elf = Versions(content)
    entries = list(elf.entries())
    new = {index for _, name, index in entries if _number(name) > OLDEST}
    kept = [place for place, name, _ in entries if (0, 0) < _number(name) <= OLDEST]
    if not new or not kept:
        return content
    for i in range(elf.symbols[1] // 24):
        at = elf.used[0] + 2 * i
        if struct.unpack_from("<H", elf.content, at)[0] in new:
            name = elf.string(elf.strings + struct.unpack_from("<I", elf.content, elf.symbols[0] + 24 * i)[0])
            if name not in RENEWED:
                return content  # a correct tag is better than a file that does not load
            struct.pack_into("<H", elf.content, at, 1)
    source = min(kept, key=lambda place: _number(elf.string(elf.strings + struct.unpack_from("<I", elf.content, place + 8)[0])))
    for place, _, index in entries:
        if index in new:  # the library still needs a version: one that it has had for long
            elf.content[place : place + 4] = elf.content[source : source + 4]
            elf.content[place + 8 : place + 12] = elf.content[source + 8 : source + 12]
    return bytes(elf.content)
