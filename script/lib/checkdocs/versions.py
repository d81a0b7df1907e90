"""Checks that the version of the library is the same in all places."""
import re

VERSIONS = {
    "README.md": r'couchbase-lite-swift\.git", from: "([^"]+)"',
    "Sources/Tool/cblite/CBLite.swift": r'version: "cblite ([^"]+)"',
    "Sources/Library/CouchbaseLiteSwift/Logging/FileLogSink.swift": r'enum LibraryVersion \{\s*(?:///.*\s*)?package static let number = "([^"]+)"',
}


def check_versions(root, findings):
    changelog = root / "CHANGELOG.md"
    if not changelog.is_file():
        return
    heading = re.search(r"^## \[?(\d+\.\d+\.\d+[^\s\]]*)", changelog.read_text(encoding="utf-8"), re.M)
    if not heading:
        findings.add(changelog, 1, "no heading with a version, such as \"## 1.2.3\"")
        return
    for name, pattern in VERSIONS.items():
        text = (root / name).read_text(encoding="utf-8") if (root / name).is_file() else ""
        found = re.search(pattern, text)
        if not found:
            findings.add(root / name, 1, "the version of the library was not found in this file")
        elif found[1] != heading[1]:
            line = text.count("\n", 0, found.start(1)) + 1
            findings.add(root / name, line, f"the version is {found[1]} here, and {heading[1]} in CHANGELOG.md")
