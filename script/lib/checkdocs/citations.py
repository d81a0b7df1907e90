"""Checks citations of the format documents. Their grammar is at the top of script/check-docs."""
import re

from .files import files
from .markdown import Page, plain

DOCUMENTS = {
    "Storage format": "storage.md",
    "Replication": "replication.md",
    "Query": "query-language.md",
    "API": "api.md",
    "Encryption": "encryption.md",
    "Backup format": "backup.md",
    "Version vectors": "version-vectors.md",
    "Vector search": "vector-search.md",
}
CITING = ("Sources", "Tests", "Benchmarks", "Documentation")
SUFFIXES = {".swift", ".md", ".c", ".h"}

ITEM = r"(?:Appendix [A-Z]|[A-Z]{1,2}-\d{1,2}|[A-Z]\d{1,2}|\d{1,2}(?:\.\d{1,2})+|\d{1,2}(?=[),;:.–]| and | or ))(?!\w|\.\d)"
BETWEEN = r"(?:, and |, or |, | and | or |–)"
QUOTED = r"(?:, \"(?P<words>[^\"]+)\")"
CITATION = re.compile(
    rf"(?<![\w`.])(?P<name>{'|'.join(DOCUMENTS)})(?: (?P<items>{ITEM}(?:{BETWEEN}{ITEM})*){QUOTED}?|"
    rf"(?<=Encryption){QUOTED.replace('words', 'title')})"
)
PATHS = re.compile(r"`(?P<path>Documentation/[\w./-]+\.md)`(?:,? \"(?P<title>[^\"]+)\")?")


def joined(text):
    """Returns the text as one line without comment markers, and the line number of each character."""
    pieces, numbers = [], []
    for number, line in enumerate(text.splitlines(), 1):
        piece = re.sub(r"^\s*(?:///?|\*(?= )|>)?\s*", "", line).rstrip() + " "
        pieces.append(piece)
        numbers += [number] * len(piece)
    return "".join(pieces).rstrip(), numbers


class Citations:
    def __init__(self, root, formats, findings):
        self.root, self.formats, self.findings = root, formats, findings
        self.pages, self.missing, self.count = {}, {}, 0

    def check(self):
        for path in [*files(self.root, SUFFIXES, CITING), *sorted(self.root.glob("*.md"))]:
            text, lines = joined(path.read_text(encoding="utf-8", errors="replace"))
            for match in CITATION.finditer(text):
                self.citation(path, lines[match.start()], match)
            for match in PATHS.finditer(text):
                self.path(path, lines[match.start()], match)
        for path in sorted(self.formats.glob("*.md")):
            self.own_sections(path)
        for name, places in sorted(self.missing.items()):
            path, line = places[0]
            document = f"{name}, which {len(places)} citations refer to (this is the first), does not exist"
            self.findings.add(path, line, document)

    def page(self, path):
        if path not in self.pages:
            self.pages[path] = Page(path) if path.is_file() else None
        return self.pages[path]

    def citation(self, path, line, match):
        self.count += 1
        name = DOCUMENTS[match["name"]]
        page = self.page(self.formats / name)
        if page is None:
            self.missing.setdefault(f"Documentation/formats/{name}", []).append((path, line))
            return
        section = None
        for item in re.split(BETWEEN, match["items"]) if match["items"] else []:
            if re.match(r"[A-Z]+-?\d", item):
                if not page.has_label(item):
                    self.findings.add(path, line, f"{name} has no rule or table row that begins with {item}")
                continue
            section = page.section(item)
            if section is None:
                self.findings.add(path, line, f"{name} has no section {item}")
        if match["words"] and section is not None and plain(match["words"]) not in section:
            self.findings.add(path, line, f"{name} does not contain \"{match['words']}\" in the cited section")
        self.title(path, line, page, name, match["title"])

    def path(self, path, line, match):
        self.count += 1
        page = self.page(self.root / match["path"])
        if page is None:
            self.findings.add(path, line, f"{match['path']} does not exist")
        else:
            self.title(path, line, page, match["path"], match["title"])

    def own_sections(self, path):
        page = self.page(path)
        for line, text in enumerate(page.prose, 1):
            for match in re.finditer(r"§ ?(\d+(?:\.\d+)*)", text):
                self.count += 1
                if page.section(match[1]) is None:
                    self.findings.add(path, line, f"this document has no section {match[1]}")

    def title(self, path, line, page, name, title):
        if title and not any(plain(title) in plain(heading) for _, _, heading in page.headings):
            self.findings.add(path, line, f"{name} has no heading \"{title}\"")
