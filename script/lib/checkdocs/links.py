"""Checks links between Markdown files, and to DocC articles."""
import os
import re
from pathlib import Path

from .files import files
from .markdown import without_code

LINK = re.compile(r"\]\(\s*<?([^\s()<>]+(?:\([^\s()]*\))?)>?(?:\s+[\"'][^\"']*[\"'])?\s*\)|^\[[^\]]+\]:\s+<?([^\s>]+)|"
                  r"<(doc:[^>\s]+)>|(?:href|src)=\"([^\"]+)\"", re.M)


class Links:
    def __init__(self, root, pages, findings):
        self.root, self.findings, self.count = root, findings, 0
        self.pages = {page.path.resolve(): page for page in pages}
        self.articles = {page.path.stem: page for page in pages if in_catalogue(page.path)}

    def check(self):
        for page in self.pages.values():
            self.text(page.path, without_code("\n".join(page.prose)), LINK)
        for path in files(self.root, {".swift"}, ["Sources"]):
            self.text(path, path.read_text(encoding="utf-8"), re.compile(r"///.*?<(doc:[\w#/.-]+)>"))

    def text(self, path, text, pattern):
        for match in pattern.finditer(text):
            target = next(group for group in match.groups() if group)
            if target.startswith("doc:"):
                reason = self.article(target[4:])
            elif re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.I):
                continue
            else:
                reason = self.file(path, target)
            self.count += 1
            if reason:
                self.findings.add(path, text.count("\n", 0, match.start()) + 1, reason)

    def article(self, target):
        name, _, anchor = target.partition("#")
        page = self.articles.get(name.rsplit("/", 1)[-1])
        if page is None:
            return f"no DocC catalogue has the article {name}"
        letters = lambda text: "".join(c for c in text.lower() if c.isalnum())
        if anchor and letters(anchor) not in [letters(title) for _, _, title in page.headings]:
            return f"the article {name} has no heading for #{anchor}"
        return None

    def file(self, path, target):
        name, _, anchor = target.partition("#")
        name = name.replace("%20", " ")
        place = (self.root / name.lstrip("/") if name.startswith("/") else path.parent / name) if name else path
        place = Path(os.path.normpath(place))
        if not place.exists() or self.root not in [place, *place.parents]:
            return f"{name} is not in the repository"
        page = self.pages.get(place.resolve())
        if anchor and page and anchor not in page.anchors():
            return f"{name or 'this page'} has no heading for #{anchor}"
        return None


def in_catalogue(path):
    return any(parent.suffix == ".docc" for parent in path.parents)
