#!/usr/bin/env python3
"""Writes the documentation as plain HTML that needs no JavaScript.

    plain.py ARCHIVE DIRECTORY

ARCHIVE is what `docc convert` has written; its folder `data` contains one JSON file for each page. DIRECTORY receives one page for each guide and
for each type. Members are on the page of their type. Fails if a link leads nowhere.
"""

import html
import json
import pathlib
import re
import sys

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52em; margin: 0 auto; padding: 1em; color: #1d1d1f; background: #fff }
a { color: #0066cc; text-decoration: none } a:hover { text-decoration: underline }
code, pre { font: 0.88em/1.45 ui-monospace, monospace } pre { background: #f5f5f7; padding: .8em; overflow-x: auto; border-radius: 6px }
h1 { line-height: 1.2 } h3 { margin: 2em 0 .4em; overflow-wrap: anywhere } .kind { color: #6e6e73; font-size: .85em }
table { border-collapse: collapse } th, td { border: 1px solid #d2d2d7; padding: .3em .6em; text-align: left; vertical-align: top }
aside { border-left: 4px solid #86868b; background: #f5f5f7; padding: .1em 1em; margin: 1em 0 }
.deprecated { border-color: #b64400 } dt { font-weight: 600 } nav { font-size: .9em; margin-bottom: 1.5em }
@media (prefers-color-scheme: dark) {
  body { color: #f5f5f7; background: #1d1d1f } a { color: #2997ff } pre, aside { background: #2c2c2e } th, td { border-color: #48484a }
}
""".strip()


class Site:
    """All pages, and where each of them and each member can be found."""

    def __init__(self, archive):
        self.pages = {}
        for path in sorted((archive / "data" / "documentation").rglob("*.json")):
            page = json.loads(path.read_text())
            self.pages[page["identifier"]["url"]] = page
        self.root = min(self.pages, key=len)
        # What is shown on the page of its parent: members without members.
        self.hosts = {}
        for url, page in self.pages.items():
            for section in page.get("topicSections", []) if url != self.root else []:
                for member in section["identifiers"]:
                    if member in self.pages and self.is_leaf(member) and self.parent(member) == url:
                        self.hosts[member] = url
        self.files = {}
        self.anchors = {}
        # The root first: it is index.html, also if there is a type of this name.
        for url in sorted(self.pages, key=lambda url: (url != self.root, url)):
            name = self.name(url)
            if url in self.hosts:
                self.anchors[url] = self.unique(name, self.anchors.values())
            else:
                self.files[url] = self.unique(name, self.files.values(), ".html")
        self.broken = []

    def is_leaf(self, url):
        return self.pages[url]["kind"] == "symbol" and not self.pages[url].get("topicSections")

    def parent(self, url):
        paths = self.pages[url].get("hierarchy", {}).get("paths", [])
        return paths[0][-1] if paths and paths[0] else None

    def name(self, url):
        if url == self.root:
            return "index"
        return re.sub(r"[^A-Za-z0-9._-]+", "-", url[len(self.root) + 1 :]).strip("-").lower() or "page"

    @staticmethod
    def unique(name, taken, suffix=""):
        taken = set(taken)
        number, candidate = 1, name + suffix
        while candidate in taken:
            number += 1
            candidate = f"{name}-{number}{suffix}"
        return candidate

    def address(self, url):
        """Returns the address of a page or member, or None."""
        if url in self.files:
            return self.files[url]
        if url in self.hosts:
            return f"{self.files[self.hosts[url]]}#{self.anchors[url]}"
        return None


class Renderer:
    def __init__(self, site, url):
        self.site, self.url, self.page = site, url, site.pages[url]
        self.references = dict(self.page.get("references", {}))

    def link(self, identifier, is_active=True):
        reference = self.references.get(identifier, {})
        address = self.site.address(identifier)
        title = reference.get("title") or identifier.rsplit("/", 1)[-1]
        label = html.escape(title)
        if reference.get("kind") == "symbol" or reference.get("role") == "symbol":
            label = f"<code>{label}</code>"
        if address is None and reference.get("type") == "link":
            address = reference["url"]
        if address is None and "#" in identifier:
            page, _, anchor = identifier.partition("#")
            base = self.site.address(page)
            address = None if base is None else f"{base}#{anchor}"
        if address is None:
            if identifier.startswith("doc:") and is_active and reference.get("type") != "unresolvable":
                self.site.broken.append((self.url, identifier))
            return label
        return f'<a href="{html.escape(address)}">{label}</a>'

    def inline(self, items):
        parts = []
        for item in items or []:
            kind = item["type"]
            inner = lambda: self.inline(item.get("inlineContent", []))
            if kind == "text":
                parts.append(html.escape(item["text"], quote=False))
            elif kind == "codeVoice":
                parts.append(f"<code>{html.escape(item['code'], quote=False)}</code>")
            elif kind == "reference":
                parts.append(self.link(item["identifier"], item.get("isActive", True)))
            elif kind in ("strong", "inlineHead"):
                parts.append(f"<strong>{inner()}</strong>")
            elif kind in ("emphasis", "newTerm"):
                parts.append(f"<em>{inner()}</em>")
            elif kind in ("strikethrough", "superscript", "subscript"):
                tag = {"strikethrough": "s", "superscript": "sup", "subscript": "sub"}[kind]
                parts.append(f"<{tag}>{inner()}</{tag}>")
            else:
                raise ValueError(f"{self.url}: unknown inline element {kind}")
        return "".join(parts)

    def blocks(self, items, depth=0):
        """Renders blocks; headings are `depth` levels lower than they state."""
        parts = []
        for item in items or []:
            kind = item["type"]
            if kind == "paragraph":
                parts.append(f"<p>{self.inline(item['inlineContent'])}</p>")
            elif kind == "heading":
                level = min(6, item["level"] + depth)
                anchor = "" if depth else f' id="{html.escape(item["anchor"])}"'
                parts.append(f"<h{level}{anchor}>{html.escape(item['text'])}</h{level}>")
            elif kind == "codeListing":
                parts.append("<pre>" + html.escape("\n".join(item["code"]), quote=False) + "</pre>")
            elif kind == "aside":
                name = item.get("name") or item.get("style", "note").capitalize()
                parts.append(f"<aside><p><strong>{html.escape(name)}</strong></p>{self.blocks(item['content'], depth)}</aside>")
            elif kind in ("unorderedList", "orderedList"):
                tag = "ul" if kind == "unorderedList" else "ol"
                entries = "".join(f"<li>{self.blocks(entry['content'], depth)}</li>" for entry in item["items"])
                parts.append(f"<{tag}>{entries}</{tag}>")
            elif kind == "table":
                parts.append(self.table(item, depth))
            elif kind == "termList":
                for entry in item["items"]:
                    term, meaning = self.inline(entry["term"]["inlineContent"]), self.blocks(entry["definition"]["content"], depth)
                    parts.append(f"<dl><dt>{term}</dt><dd>{meaning}</dd></dl>")
            elif kind == "thematicBreak":
                parts.append("<hr>")
            else:
                raise ValueError(f"{self.url}: unknown block {kind}")
        return "\n".join(parts)

    def table(self, item, depth):
        rows = []
        for number, row in enumerate(item["rows"]):
            tag = "th" if number == 0 and item.get("header") in ("row", "both") else "td"
            rows.append("<tr>" + "".join(f"<{tag}>{self.blocks(cell, depth)}</{tag}>" for cell in row) + "</tr>")
        # Single paragraphs in cells need no space around them.
        return "<table>" + re.sub(r"<(t[hd])><p>((?:(?!</?p>).)*)</p></\1>", r"<\1>\2</\1>", "".join(rows)) + "</table>"

    def body(self, page, depth):
        """Renders what a page says, without its title and its members."""
        parts = []
        if page.get("deprecationSummary"):
            summary = self.blocks(page["deprecationSummary"])
            parts.append(f'<aside class="deprecated"><p><strong>Deprecated</strong></p>{summary}</aside>')
        if page.get("abstract"):
            parts.append(f"<p>{self.inline(page['abstract'])}</p>")
        heading = lambda text: f"<h{2 + depth}>{text}</h{2 + depth}>"
        for section in page.get("primaryContentSections", []):
            if section["kind"] == "declarations":
                for declaration in section["declarations"]:
                    code = "".join(token["text"] for token in declaration["tokens"])
                    parts.append(f"<pre>{html.escape(code, quote=False)}</pre>")
            elif section["kind"] == "parameters":
                entries = "".join(
                    f"<dt><code>{html.escape(entry['name'])}</code></dt><dd>{self.blocks(entry['content'], depth)}</dd>"
                    for entry in section["parameters"]
                )
                parts.append(f"{heading('Parameters')}<dl>{entries}</dl>")
            elif section["kind"] == "content":
                content = section["content"]
                # Says nothing where it is the first word below a title.
                if content and content[0]["type"] == "heading" and content[0]["text"] in ("Discussion", "Overview"):
                    content = content[1:]
                parts.append(self.blocks(content, depth))
        for section in page.get("relationshipsSections", []):
            names = ", ".join(self.link(identifier) for identifier in section["identifiers"])
            parts.append(f"<p><strong>{html.escape(section['title'])}:</strong> {names}</p>")
        return "\n".join(parts)

    def member(self, url):
        page = self.site.pages[url]
        # Its links are explained by its own references.
        own = Renderer(self.site, self.url)
        own.references = page.get("references", {})
        title, kind = html.escape(page["metadata"]["title"]), html.escape(page["metadata"].get("roleHeading", ""))
        return (
            f'<h3 id="{self.site.anchors[url]}"><code>{title}</code> <span class="kind">{kind}</span></h3>\n{own.body(page, depth=2)}'
        )

    def topics(self):
        parts = []
        for section in self.page.get("topicSections", []):
            parts.append(f"<h2>{html.escape(section.get('title') or 'Topics')}</h2>")
            others = []
            for identifier in section["identifiers"]:
                if self.site.hosts.get(identifier) == self.url:
                    parts.append(self.member(identifier))
                else:
                    abstract = self.inline(self.references.get(identifier, {}).get("abstract", []))
                    others.append(f"<li>{self.link(identifier)}{': ' + abstract if abstract else ''}</li>")
            if others:
                parts.append("<ul>" + "\n".join(others) + "</ul>")
        return "\n".join(parts)

    def document(self):
        metadata = self.page["metadata"]
        title = html.escape(metadata["title"])
        path = next(iter(self.page.get("hierarchy", {}).get("paths", [])), [])
        trail = " / ".join(self.link(identifier) for identifier in path)
        kind = html.escape(metadata.get("roleHeading", "")) if self.page["kind"] == "symbol" else ""
        return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{STYLE}</style></head>
<body>
<nav>{trail}</nav>
<h1>{title} <span class="kind">{kind}</span></h1>
{self.body(self.page, depth=0)}
{self.topics()}
</body>
</html>
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    archive, output = map(pathlib.Path, sys.argv[1:])
    site = Site(archive)
    output.mkdir(parents=True, exist_ok=True)
    for stale in output.glob("*.html"):
        stale.unlink()
    for url, name in site.files.items():
        (output / name).write_text(Renderer(site, url).document())
    for page, identifier in site.broken:
        print(f"{page}: the link to {identifier} leads nowhere", file=sys.stderr)
    print(f"{len(site.files)} pages without JavaScript are in {output}: {output / 'index.html'}")
    sys.exit(1 if site.broken else 0)


main()
