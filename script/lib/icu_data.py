#!/usr/bin/env python3
"""Reduces the data of ICU that the Swift toolchain links statically with Foundation, to what the command-line tool needs.

    icu_data.py ARCHIVE OBJECT [--list]

ARCHIVE is the toolchain's lib_FoundationICU.a. OBJECT is written: it defines __wrap_icudtNN_dat with fewer items, so
that a linker with the option --wrap=icudtNN_dat takes the data from there. The name of the symbol is printed first. With --list, the items that are kept and left out are printed by folder.

A package of ICU's data (.dat) consists of a header and a table of contents, which is sorted by name and has the offsets of the names and the items
from the beginning of the table. Exits with 3 if the data has another form.
"""

import collections
import os
import re
import struct
import subprocess
import sys

CANNOT_REDUCE = 3


class Unknown(Exception):
    """The archive or the data in it does not have the known form."""


# What is kept. Everything else is data of languages that only displays dates, numbers, names and units in them.
KEPT = [
    # Collations of all languages: queries can name any of them.
    r"coll/.*",
    # Properties, names and normalization of characters.
    r"[^/]*\.(icu|nrm)",
    # Characters, words and sentences, with the dictionaries of languages without spaces, which full-text indexes use.
    r"brkitr/(char|word|sent|title).*\.brk",
    r"brkitr/.*\.(dict|res)",
    # Time zones, and what Foundation needs for calendars, numbers and locales in general.
    r"(curr|zone)/(root|pool|en|en_US|en_US_POSIX|supplementalData|tzdbNames)\.res",
    r"(root|pool|en|en_US|en_US_POSIX)\.res",
]
# Files with the name of a language, as "de.res" and "zh_Hant_TW.res". The other files of the main folder describe all languages.
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9]+)*\.res")

def is_kept(name):
    if any(re.fullmatch(pattern, name) for pattern in KEPT):
        return True
    return "/" not in name and name.endswith(".res") and not LANGUAGE.fullmatch(name)


def member(archive, symbol_pattern):
    """Returns the ELF object of an archive that defines a symbol, and the name of the symbol."""
    with open(archive, "rb") as file:
        if file.read(8) != b"!<arch>\n":
            raise Unknown("it is not an archive")
        while header := file.read(60):
            if len(header) < 60 or header[58:] != b"`\n":
                raise Unknown("the archive is damaged")
            size = int(header[48:58])
            content = file.read(size + size % 2)[:size]
            # The data is by far the largest member; the names of others need not be read.
            if size > 1_000_000 and content[:4] == b"\x7fELF" and (found := symbol(content, symbol_pattern)):
                return found
    raise Unknown("no member defines the data")


def symbol(elf, pattern):
    """Returns the name of a symbol and its content in an object for 64-bit little-endian machines."""
    if elf[4] != 2 or elf[5] != 1:
        raise Unknown("its objects are for another kind of machine")
    (sections_at,) = struct.unpack_from("<Q", elf, 40)
    size, count = struct.unpack_from("<HH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, sections_at + index * size) for index in range(count)]
    for _, kind, _, _, offset, length, link, _, _, entry in sections:
        if kind != 2 or entry == 0:
            continue
        names = sections[link][4]
        for place in range(offset, offset + length, entry):
            name_at, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", elf, place)
            name = elf[names + name_at : elf.index(b"\0", names + name_at)].decode()
            if re.fullmatch(pattern, name) and 0 < section < count:
                start = sections[section][4]
                return name, elf[start + value : start + sections[section][5]]
    return None


def items(data):
    """Returns the header of a package, and its items as a list of names and contents."""
    header, magic1, magic2 = struct.unpack_from("<HBB", data, 0)
    if (magic1, magic2) != (0xDA, 0x27) or data[12:16] != b"CmnD" or data[16] != 1:
        raise Unknown("the data is not a package of version 1")
    (count,) = struct.unpack_from("<I", data, header)
    table = [struct.unpack_from("<II", data, header + 4 + 8 * index) for index in range(count)]
    result = []
    for index, (name_at, item_at) in enumerate(table):
        name = data[header + name_at : data.index(b"\0", header + name_at)].decode("ascii")
        end = header + table[index + 1][1] if index + 1 < count else len(data)
        if not header + item_at < end <= len(data):
            raise Unknown("the table of contents is not in order")
        result.append((name, data[header + item_at : end]))
    if [name for name, _ in result] != sorted(name for name, _ in result):
        raise Unknown("the names are not in order")
    return data[:header], result


def package(header, kept):
    """Returns a package with some items."""
    names_at = 4 + 8 * len(kept)
    names = b""
    entries = []
    for name, _ in kept:
        entries.append(names_at + len(names))
        names += name.encode("ascii") + b"\0"
    start = names_at + len(names)
    # Items begin at multiples of 16 in memory.
    padding = -(len(header) + start) % 16
    table = struct.pack("<I", len(kept))
    body = b"\xaa" * padding
    position = start + padding
    for place, (_, content) in zip(entries, kept):
        table += struct.pack("<II", place, position)
        content += b"\xaa" * (-len(content) % 16)
        body += content
        position += len(content)
    return header + table + names + body


def write_object(path, name, data):
    """Has the compiler of the toolchain make an object file."""
    raw = path + ".dat"
    with open(raw, "wb") as file:
        file.write(data)
    source = (
        f'.section .rodata.{name},"a",@progbits\n.balign 16\n.globl {name}\n.type {name},@object\n.size {name},{len(data)}\n'
        f'{name}:\n.incbin "{os.path.abspath(raw)}"\n.section .note.GNU-stack,"",@progbits\n'
    )
    subprocess.run(["clang", "-c", "-x", "assembler", "-", "-o", path], input=source, text=True, check=True)
    os.remove(raw)


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--list"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    archive, path = arguments
    try:
        name, data = member(archive, r"icudt\d+_dat")
        header, found = items(data)
        # Names are preceded by that of the package.
        prefix = found[0][0].split("/")[0] + "/" if found else ""
        kept = [item for item in found if is_kept(item[0].removeprefix(prefix))]
        if not all(item[0].startswith(prefix) for item in found) or not any("coll/root.res" in item[0] for item in kept):
            raise Unknown("the items have other names")
        reduced = package(header, kept)
        write_object(path, f"__wrap_{name}", reduced)
    except (Unknown, OSError, struct.error, ValueError, IndexError, subprocess.CalledProcessError) as problem:
        print(f"The data of ICU in {archive} cannot be reduced: {problem}.", file=sys.stderr)
        sys.exit(CANNOT_REDUCE)
    if "--list" in sys.argv:
        sizes = collections.Counter()
        for item, content in found:
            kind = "kept" if is_kept(item.removeprefix(prefix)) else "left out"
            folder = item.removeprefix(prefix)
            folder = folder.split("/")[0] + "/" if "/" in folder else "*." + folder.rsplit(".", 1)[-1]
            sizes[kind, folder] += len(content)
        for (kind, folder), size in sizes.most_common():
            print(f"{size / 1e6:7.2f} MB  {kind}  {folder}")
    print(f"{name}: {len(data) / 1e6:.1f} MB, reduced to {len(reduced) / 1e6:.1f} MB")


main()
