"""Tests that the checker finds each kind of mistake."""
import shutil
import tempfile
from pathlib import Path

TEMPLATE = """import CouchbaseLiteSwift

// declarations
// `nonisolated(unsafe)` is safe because the only thread that writes it is waited for.
nonisolated(unsafe) var wasCalled = false

/// Calls a closure as code does that is not checked by the compiler.
func callInBackground(_ callback: @escaping @MainActor () -> Void) {
    DispatchQueue(label: "background").sync { unsafeBitCast(callback, to: (@Sendable () -> Void).self)() }
}

// program
// block: 1
"""

PAGE = """# Page

```swift
let database = try Database(name: "snippets")
%s
```
"""

# The name of the mistake, its line of code, and a part of the line that reports it.
MISTAKES = [
    ("nothing", "print(database.name)", None),
    ("an unknown name", "print(datbase.name)", "Page.md:5: cannot find 'datbase' in scope"),
    ("an error at run time", "try database.createQuery(\"SELECT\").execute()", "Page.swift:1: the program ends with status"),
    ("a wrong result", "check(database.name == \"other\")", "Page.swift:1: the program ends with status"),
    ("a closure of the main actor on another queue", "callInBackground { MainActor.assumeIsolated { wasCalled = true } }",
     "Page.swift:1: the program ends with status"),
    ("a variable that two threads use", "var count = 0\nDispatchQueue.global().async { count += 1 }", "(in methods of a @MainActor class and of an actor, Swift 6)"),
]


def run_tests(root, build, check):
    failures = 0
    for name, code, expected in MISTAKES:
        folder = Path(tempfile.mkdtemp(prefix="check-snippets-test-"))
        try:
            (folder / "Tests/Data/Snippets/Support").mkdir(parents=True)
            shutil.copy(root / "Tests/Data/Snippets/Support/Support.swift", folder / "Tests/Data/Snippets/Support/Support.swift")
            catalogue = folder / "Sources/Library/CouchbaseLiteSwift/CouchbaseLiteSwift.docc"
            catalogue.mkdir(parents=True)
            (folder / "README.md").write_text("# Readme\n")
            (catalogue / "Page.md").write_text(PAGE % code)
            (folder / "Tests/Data/Snippets/Page.swift").write_text(TEMPLATE)
            lines = check(folder, build)[0].lines()
        finally:
            shutil.rmtree(folder)
        if (expected is None) != (not lines) or (expected and not any(expected in line for line in lines)):
            failures += 1
            print(f"{name}: expected {expected or 'no finding'}, found:", *lines, sep="\n  ")
    print(f"{len(MISTAKES) - failures} of {len(MISTAKES)} mistakes are found." if failures else "All mistakes are found.")
    return 1 if failures else 0
