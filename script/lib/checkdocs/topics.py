"""Checks that each public type of a documented target is in a group of topics, on the landing page of the target's catalogue."""
import re

TYPE = re.compile(r"(?:@\w+(?:\([^()]*\))? +)*(?:public|open) +(?:(?:final|indirect) +)*(?:class|struct|enum|protocol|actor) +(\w+)")
DEPRECATED = re.compile(r"@available\(.*deprecated")


def check_topics(root, findings):
    for catalogue in sorted((root / "Sources").glob("*/*/*.docc")):
        page = catalogue / f"{catalogue.stem}.md"
        if not page.exists():
            continue
        listed = set(re.findall(r"^- ``(\w+)``", page.read_text(encoding="utf-8"), re.MULTILINE))
        for path in sorted(catalogue.parent.rglob("*.swift")):
            for number, name in public_types(path.read_text(encoding="utf-8").splitlines()):
                if name not in listed:
                    findings.add(path, number, f"{name} is in no group of topics of {page.relative_to(root)}")


def public_types(lines):
    """Yields the lines and names of the public types at the top level, except deprecated ones and those that only some systems have."""
    conditions = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#if"):
            conditions.append("canImport" in line)
        elif line.startswith("#endif"):
            conditions.pop()
        match = TYPE.match(line)
        if match and not any(conditions) and not DEPRECATED.search(lines[number - 2] if number > 1 else ""):
            yield number, match[1]
