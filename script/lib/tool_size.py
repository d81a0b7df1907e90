#!/usr/bin/env python3
"""Prints the size of the command-line tool, what it consists of, which libraries it loads, and how long it takes to start.

    tool_size.py PROGRAM

The program must contain its symbols. The size is that of a stripped copy, as script/install installs it. The table assigns each symbol to the
module or library in its name; sections without symbols, such as the tables for exceptions, are listed by section.
"""

import collections
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SIZE_GOAL_MB = 15
START_GOAL_MS = 10
STARTS = 30

# The first pattern that occurs in the name of a symbol decides.
GROUPS = [
    (re.compile(r"^(__wrap_)?icudt\d+_dat$"), "ICU: data of languages and regions"),
    (re.compile(r"_\d\d$|icu_\d\d"), "ICU: code"),
    (re.compile(r"BoringSSL|^_ZN?K?\d*bssl"), "BoringSSL, of swift-crypto and of swift-nio-ssl"),
]
# Modules whose symbols are shown together.
MODULES = [
    ("Foundation", re.compile(r"^(_?Foundation\w*)$")),
    ("swift-nio, swift-nio-ssl", re.compile(r"^_?NIO\w*$")),
    ("swift-crypto, swift-certificates, swift-asn1", re.compile(r"^_?(Crypto\w*|X509|SwiftASN1|CertificateInternals)$")),
    ("swift-argument-parser", re.compile(r"^ArgumentParser\w*$")),
    ("Swift: regular expressions", re.compile(r"^_(RegexParser|StringProcessing)$")),
    (
        "CouchbaseLiteSwift and cblite",
        re.compile(
            r"^(CouchbaseLiteSwift|cblite|QueryLanguage|QueryEngine|DocumentStore|SQLiteEngine|Replication|Transport|SyncRuntime|SyncCore|DatabaseRuntime"
            r"|ModelCoding|Fleece|BLIP|Backup|Base|LogOutput|Salvage)$"
        ),
    ),
]
# The name of the module in a mangled name of Swift, with its length before it.
MODULE_NAME = re.compile(r"^_?\$s(\d+)(\w+)")
UNNAMED_SECTIONS = {
    ".eh_frame": "tables for exceptions",
    ".eh_frame_hdr": "tables for exceptions",
    ".gcc_except_table": "tables for exceptions",
    ".rela.dyn": "addresses that are adjusted at the start",
    ".relr.dyn": "addresses that are adjusted at the start",
    ".dynsym": "names of exported symbols",
    ".dynstr": "names of exported symbols",
    ".gnu.hash": "names of exported symbols",
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


def group(name):
    for pattern, title in GROUPS:
        if pattern.search(name):
            return title
    mangled = MODULE_NAME.match(name)
    if mangled:
        module = mangled.group(2)[: int(mangled.group(1))]
        for title, pattern in MODULES:
            if pattern.match(module):
                return title
        return "other Swift modules"
    return "Swift: standard library" if re.match(r"^_?\$s", name) else "code in C and C++"


def composition(program):
    """Returns the sizes in bytes by group."""
    sizes = collections.Counter()
    seen = set()
    for line in output("nm", "-S", "--defined-only", program).splitlines():
        fields = line.split()
        # Symbols with an address, a size and a type; those in .bss take no space in the file, and an address has one owner.
        if len(fields) == 4 and fields[2] not in "bB" and fields[0] not in seen:
            seen.add(fields[0])
            sizes[group(fields[3])] += int(fields[1], 16)
    for line in output("readelf", "-SW", program).splitlines():
        match = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)", line)
        if match and match.group(1) in UNNAMED_SECTIONS:
            sizes[UNNAMED_SECTIONS[match.group(1)]] += int(match.group(2), 16)
    return sizes


def start_times(program):
    """Returns the durations of starts that only print the version, in milliseconds."""
    times = []
    for _ in range(STARTS):
        begin = time.perf_counter()
        subprocess.run([program, "--version"], check=True, stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - begin) * 1000)
    return times


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as directory:
        stripped = os.path.join(directory, "cblite")
        shutil.copy(program, stripped)
        subprocess.run(["strip", stripped], check=True)
        size = os.path.getsize(stripped)
        times = start_times(stripped)
    print(f"Size, stripped: {size / 1e6:.1f} MB (goal: {SIZE_GOAL_MB} MB)")
    print(f"Start: {statistics.median(times):.1f} ms, the median of {STARTS} (goal: {START_GOAL_MS} ms); shortest {min(times):.1f} ms")
    if not sys.platform.startswith("linux"):
        return
    print("Libraries beside it: " + ", ".join(re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-dW", program))))
    print("\nWhat it consists of:")
    sizes = composition(program)
    sizes["alignment, strings and other data without symbols"] = max(0, size - sum(sizes.values()))
    for title, bytes_ in sizes.most_common():
        print(f"  {bytes_ / 1e6:6.2f} MB  {title}")


main()
