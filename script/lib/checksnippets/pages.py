"""The Swift blocks of Markdown pages, and the files with their surroundings."""
import re
from pathlib import Path

CATALOGUE = "Sources/Library/CouchbaseLiteSwift/CouchbaseLiteSwift.docc"


class Problems:
    """The failures found, with their positions."""

    def __init__(self, root):
        self.root, self.all = root, set()

    def add(self, path, line, reason):
        path = Path(path)
        path = path.relative_to(self.root) if path.is_relative_to(self.root) else path
        self.all.add((str(path), line, reason))

    def lines(self):
        return [f"{path}:{line}: {reason}" for path, line, reason in sorted(self.all)]


class Block:
    def __init__(self, page, number, line, lines, mark):
        self.page, self.number, self.line, self.lines = page, number, line, lines
        kind, self.reason = (mark[1], mark[2]) if mark else (None, "")
        # Blocks for Apple's systems are checked by script/check-apple.
        self.is_apple = kind == "apple"
        self.skipped, self.is_compile_only = self.is_apple or kind == "skip", kind == "compile-only"

    def place(self, root):
        return f"{self.page.path.relative_to(root)}:{self.line}"


class Page:
    """A page, and its blocks. `declarations`, `programs` and `apple` are lists of Swift lines, with the position of each.

    `apple` is a source file for Apple's systems, which follows the declarations.
    """

    def __init__(self, root, path, problems, has_replication):
        self.path, self.name = path, "Readme" if path.parent == root else path.stem
        self.template = root / "Tests/Data/Snippets" / f"{self.name}.swift"
        self.declarations, self.programs, self.imports = [], [], set()
        self.apple, self.apple_imports = [], set()
        self.blocks = list(self.read_blocks(problems))
        if not self.blocks or all(block.skipped and not block.is_apple for block in self.blocks):
            return
        if not self.template.exists():
            problems.add(path, self.blocks[0].line, f"the page has Swift blocks, and no {self.template.relative_to(root)}")
            return
        self.read_template(problems, has_replication)

    def read_blocks(self, problems):
        lines = self.path.read_text(encoding="utf-8").split("\n")
        number, start = 0, None
        for index, line in enumerate(lines):
            if start is None and line.startswith("```swift"):
                start = index
            elif start is not None and line.startswith("```"):
                number += 1
                before = lines[start - 1] if start else ""
                mark = re.match(r"<!-- snippet: (skip|compile-only|apple) ?(.*?) *-->$", before)
                if mark and not mark[2]:
                    problems.add(self.path, start, "the mark does not give a reason")
                yield Block(self, number, start + 2, lines[start + 1:index], mark)
                start = None

    def read_template(self, problems, has_replication):
        section, used = None, set()
        for number, line in enumerate(self.template.read_text(encoding="utf-8").split("\n"), 1):
            text = line.strip()
            if text == "// declarations":
                section = self.declarations
            elif begin := re.match(r"// apple: (.+)$", text):
                section = self.apple
                self.apple_imports |= {f"import {module}" for module in re.split(r",\s*", begin[1])}
            elif begin := re.match(r"// program( that needs Replication| on the main actor)?$", text):
                section = Program(self, begin[1] == " on the main actor")
                if has_replication or begin[1] != " that needs Replication":
                    self.programs.append(section)
            elif text.startswith("import "):
                self.imports.add(text)
            elif section is None:
                if text and not text.startswith("//"):
                    problems.add(self.template, number, "a line before the first section")
            elif mark := re.match(r"// block: (\d+)$", text):
                block = next((block for block in self.blocks if block.number == int(mark[1])), None)
                if block is None or (not block.is_apple if section is self.apple else block.skipped):
                    kind = "for Apple's systems" if section is self.apple else "that is compiled"
                    problems.add(self.template, number, f"{self.path.name} has no block {mark[1]} {kind}")
                    continue
                used.add(block.number)
                if isinstance(section, Program):
                    section.blocks.append(block)
                for offset, code in enumerate(block.lines):
                    if code.startswith("import "):
                        (self.apple_imports if section is self.apple else self.imports).add(code)
                    else:
                        section.append((self.path, block.line + offset, code))
            else:
                section.append((self.template, number, line))
        for block in self.blocks:
            if (block.is_apple or not block.skipped) and block.number not in used:
                problems.add(self.path, block.line, f"block {block.number} is not in {self.template.name}")


class Program(list):
    """The statements of a program. Those of the main actor are no code of an actor."""

    def __init__(self, page, is_on_main_actor=False):
        super().__init__()
        self.page, self.blocks, self.is_on_main_actor = page, [], is_on_main_actor

    @property
    def runs(self):
        return not any(block.is_compile_only for block in self.blocks)


def pages(root):
    """Returns the pages whose blocks are checked. The tutorial of an example is checked with the example itself."""
    return [root / "README.md"] + sorted((root / CATALOGUE).glob("*.md"))
