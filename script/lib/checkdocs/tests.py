"""Tests that the checks find each kind of error and nothing else, with small repositories with known errors."""
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from .declaration_tests import DECLARATION_CASES

FORMATS = {
    "Documentation/formats/storage.md": """
# Storage format
## 2. Schema
### 2.4 Data tables
Housekeeping indexes are made when they are needed.
### 2.10 Other tables
```
## 2.11 Not a heading
```
2.12 Not a heading either
| 2.13 | nor this |
""",
    "Documentation/formats/query-language.md": "# Query\n## 3.1 Values\n## 3.2 Truth\n## Appendix B. Words\n| A8 | row |\n",
    "Documentation/formats/encryption.md": "# Encryption\n## The header\n",
}
CBLITE = "#!/bin/sh\necho \"fake $*\"\n[ \"$1\" != fail ]\n"

# A manifest as SwiftPM prints it.
PACKAGE = json.dumps({"targets": [
    {"name": "A", "type": "regular", "path": "Sources/Low/A", "dependencies": []},
    {"name": "B", "type": "regular", "path": "Sources/High/B", "dependencies": [{"byName": ["A", None]}, {"product": ["Crypto", "swift-crypto"]}]},
]})

# Each case: its name, the files, and the expected findings: FILE:LINE, and a part of the reason.
CASES = [
    ("correct citations pass", {"Sources/A.swift": """\
/// One (Storage format 2.4), two (Storage format 2.4, 2.10; Query 3.1 and 3.2), three: Storage format 2.
/// A range (Query 3.1–3.2), an appendix (Query Appendix B), a label (Query 3.1, A8), words (Storage format 2.4, "housekeeping
/// indexes"), a heading (Encryption, "The header"), a file (`Documentation/formats/encryption.md`, "The header").
/// The rest of a citation may stand on the next line (Storage
/// format 2.4).
"""}, []),
    ("text that is not a citation passes", {"Sources/A.swift": """\
// Query 99 documents, and the API 77 times. A Replication 55 long. `Query 9.9` is code. MyQuery 9.9.
// RFC 8018, section 5.2. The public API
// translates it.
"""}, []),
    ("a wrong section is found, with its line", {"Tests/A.swift": "\n// (Storage format 2.5)\n"},
     [("Tests/A.swift:2", "storage.md has no section 2.5")]),
    ("a wrong section is found in a list, a range and on a second line", {"Sources/A.swift": """\
// (Query 3.1, 3.9)
// (Query 3.1; Storage format 7)
// (Query 3.1–3.4)
// (Query
// 3.5) and Query 3.1 and 3.6.
"""}, [("Sources/A.swift:1", "section 3.9"), ("Sources/A.swift:2", "section 7"), ("Sources/A.swift:3", "section 3.4"),
       ("Sources/A.swift:4", "section 3.5"), ("Sources/A.swift:5", "section 3.6")]),
    ("code, paragraphs and tables are not headings", {"Sources/A.swift": "// (Storage format 2.11, 2.12, 2.13)\n"},
     [("Sources/A.swift:1", "section 2.11"), ("Sources/A.swift:1", "section 2.12"), ("Sources/A.swift:1", "section 2.13")]),
    ("2.1 does not match 2.10", {"Sources/A.swift": "// (Storage format 2.1)\n"},
     [("Sources/A.swift:1", "section 2.1")]),
    ("wrong words, headings, labels and appendixes are found", {"Benchmarks/A.swift": """\
// (Storage format 2.4, "nobody says so")
// (Encryption, "The footer")
// (Query A9)
// (Query Appendix C)
""", "README.md": "(Query 9.9)\n"}, [("README.md:1", "section 9.9"), ("Benchmarks/A.swift:1", "does not contain"), ("Benchmarks/A.swift:2", "no heading \"The footer\""),
       ("Benchmarks/A.swift:3", "begins with A9"), ("Benchmarks/A.swift:4", "section Appendix C")]),
    ("a wrong section of the same document is found", {"Documentation/formats/api.md": "# 1. API\nSee §1, §1.2 and §3.\n# 3. More\n"},
     [("Documentation/formats/api.md:2", "no section 1.2")]),
    ("a missing document is reported once", {"Sources/A.swift": "// (API 1)\n// (API 2)\n// `Documentation/none.md`\n"},
     [("Sources/A.swift:1", "which 2 citations refer to"), ("Sources/A.swift:3", "Documentation/none.md does not exist")]),

    ("correct links pass", {"README.md": """\
# A title: with `code` & more
[here](#a-title-with-code--more), [twice](Documentation/B.md#same-1), [there][b], [web](https://example.com/x#y), `[no](link.md)`
<!-- [no](link.md) --> [a folder](Documentation), [a line](LICENSE#L3), ![an image](Documentation/B.md)
```
[no](link.md)
```
[b]: Documentation/B.md#two_words
""", "Documentation/B.md": "# Same\n# Same\n## two_words\n[up](../README.md)\n", "LICENSE": ""}, []),
    ("broken links and anchors are found, with their lines", {"README.md": """\
# Title
[file](Documentation/none.md)
[anchor](#none) and [another](Documentation/B.md#none)
[reference][b] and [one
of two lines](none.md)
[b]: none2.md
[outside](../outside.md)
""", "Documentation/B.md": "# B\n"},
     [("README.md:2", "Documentation/none.md is not"), ("README.md:3", "this page has no heading for #none"),
      ("README.md:3", "Documentation/B.md has no heading for #none"), ("README.md:5", "none.md is not"),
      ("README.md:6", "none2.md is not"), ("README.md:7", "../outside.md is not")]),
    ("missing DocC articles are found", {
        "Sources/M/M.docc/M.md": "# M\n<doc:Guide>, <doc:Guide#First-Steps>, <doc:None>\n[x](doc:None2) <doc:Guide#None>\n",
        "Sources/M/M.docc/Guide.md": "# Guide\n## First steps\n",
        "Sources/M/A.swift": "/// See <doc:Guide>.\n/// See <doc:None3>.\n"},
     [("Sources/M/M.docc/M.md:2", "article None"), ("Sources/M/M.docc/M.md:3", "article None2"),
      ("Sources/M/M.docc/M.md:3", "no heading for #None"), ("Sources/M/A.swift:2", "article None3")]),

    ("blocks that succeed pass, and share files and variables", {"README.md": """\
```console
$ cblite create db    # makes it
any output
$ touch made && variable=\\
value
$ cat <<END >text
> two
> lines
> END
```
Then:
```sh
test -e made
[ "$variable" = value ]
[ "$(wc -l <text)" -eq 2 ]
test -e Samples/data.jsonl
```
```swift
let code = "is not run"
```
""", "Samples/data.jsonl": "{}", "Documentation/B.md": "# B\n```sh\ntest ! -e made\n```\n"}, []),
    ("a block that fails is found, with its line and output", {"README.md": """\
# Title
```sh
true
cblite fail here
cblite never
```
""", "Documentation/B.md": "# B\n\n```console\n$ true\n$ false | cat\n```\n", "SECURITY.md": "# S\n\n```sh\necho \"open\n```\n"},
     [("README.md:4", "exit code 1\n    | fake fail here"), ("Documentation/B.md:5", "exit code 1"), ("SECURITY.md:", "exit code")]),
    ("a failing background command is found", {"README.md": "```sh\n(exit 3) &\n```\n```sh\nsleep 1\n```\n"},
     [("README.md:1", "in the background fails with exit code 3")]),
    ("a block that ends the shell is found", {"README.md": "```sh\nexit 0\n```\n```sh\nfalse\n```\n"},
     [("README.md:1", "ends the shell")]),
    ("a block that takes too long is found", {"README.md": "```sh\nsleep 60\n```\n"}, [("README.md:1", "take longer than 3")]),
    ("blocks with a mark are not run, and the mark must have a reason", {"README.md": """\
<!-- not run: needs a server -->
```sh
false
```
<!-- not run -->
```sh
false
```
<!-- not run: there is nothing -->

Text
<!-- not run: no shell -->
```swift
```
"""}, [("README.md:5", "does not say why"), ("README.md:9", "no block begins"), ("README.md:12", "no meaning")]),
    ("console blocks must have prompts, and blocks with prompts must be console blocks", {"README.md": "```console\nls\n```\n```\n$ ls\n```\n"},
     [("README.md:1", "no line of this console"), ("README.md:4", "begin with ```console")]),

    ("different versions are found", {
        "CHANGELOG.md": "# Changelog\n\n## 1.2.0\n\n## 1.1.0\n", "Sources/Tool/cblite/CBLite.swift": "x\nversion: \"cblite 1.1.0\",\n",
        "README.md": '.package(url: "https://example.org/couchbase-lite-swift.git", from: "1.2.0")',
        "Sources/Library/CouchbaseLiteSwift/Logging/FileLogSink.swift": "enum LibraryVersion {\n    /// The version.\n    package static let number = \"1.2.0\"\n"},
     [("Sources/Tool/cblite/CBLite.swift:2", "the version is 1.1.0 here, and 1.2.0")]),
    ("another address of the repository is found", {
        "README.md": '.package(url: "https://example.org/one.git", from: "1.2.0")',
        "Packaging/cblite.rb": "\n  REPOSITORY = \"https://example.org/two\".freeze\n"},
     [("Packaging/cblite.rb:2", "the address is https://example.org/two here, and https://example.org/one in README.md")]),

    ("targets that are as described pass", {
        "Package.swift": PACKAGE, "Sources/Low/A/A.swift": "", "Sources/High/B/B.swift": "import A\nimport Foundation\n",
        "Documentation/Architecture.md": "| [`A`](../Sources/Low/A) | – | – |\n| [`B`](../Sources/High/B) | A | Crypto |\n"}, []),
    ("targets that are described in another way than in the manifest are found", {
        "Package.swift": PACKAGE, "Sources/Low/A/A.swift": "", "Sources/High/B/B.swift": "import A\n",
        "Documentation/Architecture.md": "\n| [`B`](../Sources/High/B) | – | Crypto |\n"},
     [("Documentation/Architecture.md:1", "A is not described"), ("Documentation/Architecture.md:2", "uses A in Package.swift")]),
    ("imports that the manifest does not have, and dependencies without imports, are found", {
        "Package.swift": PACKAGE, "Sources/Low/A/A.swift": "\nimport B\n", "Sources/High/B/B.swift": "// import A\n",
        "Documentation/Architecture.md": "| [`A`](../Sources/Low/A) | – | – |\n| [`B`](../Sources/High/B) | A | Crypto |\n"},
     [("Sources/Low/A/A.swift:2", "A imports B"), ("Package.swift:1", "B depends on A, but does not import it")]),

    ("types with names of their own pass, and so do private and nested ones, comments and strings", {
        "Sources/Low/A/A.swift": "struct Own {\n    enum Kind {}\n}\nprivate final class Helper {}\nenum Other {}\n",
        "Sources/Low/A/B.swift": "#if X\nenum Twice {}\n#else\nenum Twice {}\n#endif\n",
        "Sources/High/B/B.swift": "extension Own {}\nenum Kind {}\nfileprivate struct Helper {}\n// struct Own {}\nlet text = \"\"\"\nenum Other {}\n\"\"\"\n"}, []),
    ("a type that two targets declare is found, with its line", {
        "Sources/Low/A/A.swift": "enum Same {}\n", "Sources/High/B/B.swift": "/// Same.\n@objc package final class Same {}\n"},
     [("Sources/High/B/B.swift:2", "Same is also the name of a type in Sources/Low/A/A.swift")]),

    ("variables pass that hide no function", {
        "Sources/Low/A/A.swift": "let table = self.table()\nlet one = other(one())\n// let one = one()\nlet (a, b) = (c(), self.a())\n"}, []),
    ("variables that hide the functions they are made with are found", {
        "Sources/Low/A/A.swift": "guard let table = try await table(of: 1) else { return }\nlet (a, b) = (x.a(), try b(1))\nvar c: Int = c()\n"},
     [("Sources/Low/A/A.swift:1", "the variable table hides the function table"), ("Sources/Low/A/A.swift:2", "the variable b hides"),
      ("Sources/Low/A/A.swift:3", "the variable c hides")]),

    ("folders that form a cycle are found, with the weakest dependency", {
        "Sources/Low/A/One/One.swift": "struct One {\n    let two: Two\n    let other: Two\n}\n",
        "Sources/Low/A/Two/Two.swift": "struct Two {\n    var one: One { fatalError() }\n}\n",
        "Sources/Low/A/Three/Three.swift": "struct Three {\n    let one: One\n}\n"},
     [("Sources/Low/A/Two:1", "the folders One, Two form a cycle; Two uses One of One")]),
    *DECLARATION_CASES,
]


def found_in(check, contents, folder):
    root = folder / "repository"
    for name, text in {**FORMATS, **contents}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    cblite = folder / "cblite"
    cblite.write_text(CBLITE)
    cblite.chmod(0o755)
    return check(root, cblite=cblite, seconds=3, manifest=lambda root: json.loads((root / "Package.swift").read_text()))[0].lines()


def background_is_ended(check, folder):
    """Tests that processes left running by a block are ended at the end of its page."""
    note = folder / "process"
    found = found_in(check, {"README.md": f"```sh\nsleep 600 &\necho $! >{note}\n```\n"}, folder)
    process = int(note.read_text())
    for _ in range(20):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return found
        time.sleep(0.1)
    return [*found, f"process {process} is still running"]


def run_tests(check):
    failures = 0
    for name, contents, expected in [*CASES, ("background processes are ended", None, [])]:
        with tempfile.TemporaryDirectory(prefix="check-docs-test-") as folder:
            folder = Path(folder).resolve()
            found = found_in(check, contents, folder) if contents else background_is_ended(check, folder)
        left = list(found)
        for place, words in expected:
            match = next((line for line in left if line.startswith(place) and words in line), None)
            if match is None:
                left.append(f"(not found: {place}: {words})")
            else:
                left.remove(match)
        if left:
            failures += 1
            print(f"{name}: not as expected:", *left, sep="\n  ", file=sys.stderr)
    print(f"check-docs: {len(CASES) + 1} tests, {failures} failures.")
    return 1 if failures else 0
