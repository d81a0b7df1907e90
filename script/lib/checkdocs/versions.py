"""Checks that the version of the library, and the address of its repository, are the same in all places."""
import re

VERSIONS = {
    "README.md": r'couchbase-lite-swift\.git", from: "([^"]+)"',
    "Sources/Tool/cblite/CBLite.swift": r'version: "cblite ([^"]+)"',
    "Sources/Library/CouchbaseLiteSwift/Logging/FileLogSink.swift": r'enum LibraryVersion \{\s*(?:///.*\s*)?package static let number = "([^"]+)"',
}

README_ADDRESS = re.compile(r'\.package\(url: "([^"]+)\.git", from:')
# The constant of the formula for Homebrew.
FORMULA_ADDRESS = re.compile(r'^ *REPOSITORY = "([^"]+)"', re.M)


def check_versions(root, findings):
    check_addresses(root, findings)
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


def check_addresses(root, findings):
    readme, formula = root / "README.md", root / "Packaging/cblite.rb"
    if not readme.is_file() or not formula.is_file():
        return
    expected = README_ADDRESS.search(readme.read_text(encoding="utf-8"))
    text = formula.read_text(encoding="utf-8")
    found = FORMULA_ADDRESS.search(text)
    if not expected or not found:
        findings.add(formula if expected else readme, 1, "the address of the repository was not found in this file")
    elif found[1] != expected[1]:
        line = text.count("\n", 0, found.start(1)) + 1
        findings.add(formula, line, f"the address is {found[1]} here, and {expected[1]} in README.md")
