"""Tests that the check finds each kind of mistake and nothing else, with small repositories with known mistakes."""
import tempfile
from pathlib import Path

from .targets import Target, kept

OPTIONS = ["-DDEBUG", "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault", "-parse-as-library"]
CATALOGUE = "Sources/Library/CouchbaseLiteSwift/CouchbaseLiteSwift.docc"

VIEW = """# Page

<!-- snippet: apple it uses SwiftUI -->
```swift
struct Notes: View {
    @State private var memos: [String]

    init(_ memos: [String]) { %s = State(initialValue: memos) }

    var body: some View { Text(memos.first ?? "no memos") }
}
```
"""
TEMPLATE = "import Foundation\n\n// apple: SwiftUI\n// block: 1\n"

# Each case: its name, the files, and for each expected finding its file and line, and a part of the reason.
CASES = [
    ("correct clauses pass", {"Sources/A.swift": """\
import Foundation
#if canImport(Darwin)
import Darwin
func flush() -> Bool { fcntl(1, F_FULLFSYNC) == 0 && Darwin.fsync(1) == 0 }
#elseif canImport(Musl)
import Musl
#else
import Glibc
func flush() -> Bool { fsync(1) == 0 }
#endif
#if !os(Linux) && canImport(Security)
import Security
func der(_ certificate: SecCertificate) -> Data { SecCertificateCopyData(certificate) as Data }
#endif
#if canImport(UIKit)
import UIKit
@MainActor func reload(_ table: UITableView) { table.reloadData() }
#endif
#if UNKNOWN
func noClause() { unknown() }
#endif
"""}, []),
    ("an error of types is found, with its line", {"Sources/A.swift": """\
func number() -> Int {
    #if canImport(Darwin)
    "7"
    #else
    7
    #endif
}
"""},
     [("Sources/A.swift:3", "cannot convert return expression")]),
    ("an error after #else is found", {"Sources/A.swift": "#if os(Linux)\nlet a = 1\n#else\nlet a: Int = missing\n#endif\n"},
     [("Sources/A.swift:4", "cannot find 'missing'")]),
    ("an error in a nested clause is found", {"Sources/A.swift": "#if DEBUG\n#if os(macOS)\nlet a: Int = missing\n#endif\n#endif\n"},
     [("Sources/A.swift:3", "cannot find 'missing'")]),
    ("an error that only iOS has is found", {"Sources/A.swift": "#if canImport(UIKit)\nlet a: Int = missing\n#endif\n"},
     [("Sources/A.swift:2", "cannot find 'missing' in scope (iOS)")]),
    ("a name that the system does not have is found", {"Sources/A.swift": "import Foundation\n#if canImport(Darwin)\nlet a = F_FULLSYNC\n#endif\n"},
     [("Sources/A.swift:3", "cannot find 'F_FULLSYNC'")]),
    ("a data race is found", {"Sources/A.swift": """\
#if canImport(Security)
import Security
func twice(_ certificate: SecCertificate) {
    Task.detached { print(certificate) }
    print(certificate)
}
#endif
"""}, [("Sources/A.swift:4", "data race")]),
    ("an unknown condition is found", {"Sources/A.swift": "#if canImport(WatchKit)\n#endif\n"},
     [("Sources/A.swift:1", "does not say where canImport(WatchKit) is true")]),
    ("a clause that nobody compiles is found", {"Sources/A.swift": "#if os(Linux) && canImport(Darwin)\n#endif\n"},
     [("Sources/A.swift:1", "no platform compiles os(Linux) && canImport(Darwin)")]),
    ("a clause after the one of all platforms is found", {"Sources/A.swift": "#if os(Linux)\n#elseif canImport(Darwin)\n#else\n#endif\n"},
     [("Sources/A.swift:3", "no platform compiles #else")]),
    ("a source of no target is found", {"Tests/B.swift": "#if os(macOS)\n#endif\n"},
     [("Tests/B.swift:1", "no target with this file")]),
    ("a clause without an end is found", {"Sources/A.swift": "\n#if os(macOS)\n"}, [("Sources/A.swift:2", "#if without #endif")]),
    ("a correct block passes", {f"{CATALOGUE}/Page.md": VIEW % "_memos", "Tests/Data/Snippets/Page.swift": TEMPLATE}, []),
    ("an error in a block is found", {f"{CATALOGUE}/Page.md": VIEW % "_notes", "Tests/Data/Snippets/Page.swift": TEMPLATE},
     [(f"{CATALOGUE}/Page.md:8", "cannot find '_notes'")]),
    ("a block that is not in the section is found",
     {f"{CATALOGUE}/Page.md": VIEW % "_memos", "Tests/Data/Snippets/Page.swift": "// apple: SwiftUI\n"},
     [(f"{CATALOGUE}/Page.md:5", "block 1 is not in Page.swift")]),
]


def run_tests(compiler, check):
    failures = 0
    for name, contents, expected in CASES:
        with tempfile.TemporaryDirectory(prefix="check-apple-test-") as folder:
            root = Path(folder).resolve()
            for path, text in {"README.md": "# Readme\n", **contents}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            # Each case compiles its modules anew.
            with compiler.fresh():
                lines = check(root, [*targets(root), *clients()], compiler)[0].lines()
        missing = [each for each in expected if not any(line.startswith(each[0] + ":") and each[1] in line for line in lines)]
        if missing or (not expected and lines) or (expected and len({line.split(": ")[0] for line in lines}) != len(expected)):
            failures += 1
            print(f"{name}: expected {expected or 'no finding'}, found:", *lines, sep="\n  ")
    options = kept(["-emit-module", "-emit-module-path", "path", "-Xcc", "-g", "@list", "-j2", "-g", "-DA"])
    if options != ["-Xcc", "-g", "-DA"]:
        failures += 1
        print(f"the options that remain: {options}")
    print(f"check-apple: {len(CASES) + 1} tests, {failures} failures.")
    return 1 if failures else 0


def targets(root):
    sources = sorted((root / "Sources").rglob("*.swift"))
    return [Target("A", sources, OPTIONS)] if sources else []


def clients():
    return [Target(f"Swift{mode}MainProgram", [], ["-swift-version", mode]) for mode in ("5", "6")]
