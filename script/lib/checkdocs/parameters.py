"""Checks what the doc comments of public functions say about parameters and results, by the rules of DocC, which fails on the same mistakes.

DocC needs a build, and `script/test` does not run it on the machine of a developer.
"""
import re

from .declarations import read

# What begins an item of the comment that DocC treats specially. Case does not count, and a name in backticks is none.
SINGLE = re.compile(r" {0,3}[-*+] +parameter +(?P<name>[^\s`:]+) *:", re.IGNORECASE)
LIST = re.compile(r" {0,3}[-*+] +parameters *:", re.IGNORECASE)
ITEM = re.compile(r"(?P<indent> +)[-*+] +(?P<name>[^\s`:]+) *:")
RESULT = re.compile(r" {0,3}[-*+] +returns *:", re.IGNORECASE)
NOTHING = re.compile(r"-> *(Void|\( *\)) *(where\b.*)?$")


def check_parameters(root, findings):
    for catalogue in sorted((root / "Sources").glob("*/*/*.docc")):
        for path in sorted(catalogue.parent.rglob("*.swift")):
            lines = path.read_text(encoding="utf-8").splitlines()
            for declaration in read(path):
                if declaration.kind in ("func", "init", "subscript") and declaration.is_documented and is_public(declaration):
                    for number, reason in mistakes(declaration, lines):
                        findings.add(path, number + 1, f"{declaration.name}: {reason}")


def is_public(declaration):
    """Returns whether DocC shows the declaration, if it shows what contains it."""
    is_requirement = declaration.parent and declaration.parent.kind == "protocol"
    return bool((declaration.parent if is_requirement else declaration).words & {"public", "open"})


def mistakes(declaration, lines):
    """Yields the number of the line and the reason for each mistake in the comment of a function."""
    documented, results = items(comment(lines, declaration.number))
    labels = {label: name for label, name in declaration.parameters if label != name}
    names = [name for _, name in declaration.parameters]
    known = set()
    for number, name in documented:
        if name in known:
            yield number, f"the parameter {name} is documented twice"
        elif name not in names and name in labels:
            name, label = labels[name], name
            yield number, f"{label} is the label of the parameter {name}"
        elif name not in names:
            yield number, f"there is no parameter {name}"
        known.add(name)
    if documented:
        for name in names:
            if name not in known:
                yield declaration.number, f"the parameter {name} is not documented, but others are: document all or none"
    if results and declaration.kind == "func" and returns_nothing(declaration, lines):
        yield results[0], "the comment describes a result, and there is none"


def comment(lines, number):
    """Returns the numbers and texts of the lines of the doc comment of a declaration, which attributes may separate from it."""
    end = next(place for place in range(number - 1, -1, -1) if lines[place].lstrip().startswith("///"))
    start = end
    while start > 0 and lines[start - 1].lstrip().startswith("///"):
        start -= 1
    return [(place, re.sub(r"^ */// ?", "", lines[place])) for place in range(start, end + 1)]


def items(comment):
    """Returns the lines and names of the parameters that a comment documents, and the lines that describe the result."""
    documented, results = [], []
    is_code, indent = False, None  # The indentation of the items below "Parameters:"; 0 until the first one.
    for number, text in comment:
        if text.lstrip().startswith("```"):
            is_code = not is_code
        elif is_code or not text.strip():
            continue
        elif indent is not None and (item := ITEM.match(text)):
            indent = indent or len(item["indent"])
            if len(item["indent"]) == indent:
                documented.append((number, item["name"]))
        elif LIST.match(text):
            indent = 0
        elif not text.startswith(" "):
            indent = None
            if single := SINGLE.match(text):
                documented.append((number, single["name"]))
            elif RESULT.match(text):
                results.append(number)
    return documented, results


def returns_nothing(declaration, lines):
    """Returns whether a function has no result. The arrow may be at the beginning of the line after the parameters."""
    after = declaration.number + declaration.head.count("\n") + 1
    tail = declaration.tail.partition("{")[0]
    if "->" not in tail and after < len(lines) and lines[after].lstrip().startswith("->"):
        tail = lines[after].partition("{")[0]
    return "->" not in tail or bool(NOTHING.search(tail.strip()))
