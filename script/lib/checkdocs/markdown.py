"""A simple parser of Markdown files."""
import re


class Block:
    """A fenced code block: its language, the lines between the fences, and the line of the first fence."""

    def __init__(self, line, language, before):
        self.line, self.language, self.before, self.lines = line, language, before, []


class Page:
    """A Markdown file: its headings, its fenced blocks, and its lines without fenced blocks."""

    def __init__(self, path):
        self.path, self.blocks, self.headings, self.prose = path, [], [], []
        fence, block, previous = None, None, ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            mark = re.match(r"\s*(?:> ?)*(```+|~~~+)\s*([\w+-]*)", line)
            if fence is None and mark:
                fence, block = mark[1], Block(number, mark[2].lower(), previous)
                self.blocks.append(block)
                self.prose.append("")
            elif fence is not None:
                if mark and mark[1].startswith(fence) and not mark[2]:
                    fence = None
                else:
                    block.lines.append(line)
                self.prose.append("")
            else:
                heading = re.match(r"(#{1,6})\s+(.*?)\s*#*$", line)
                if heading:
                    self.headings.append((number, len(heading[1]), heading[2]))
                self.prose.append(line)
            previous = line

    def anchors(self):
        """Returns the anchors that GitHub generates for the headings, and those written as HTML."""
        found = set()
        for _, _, title in self.headings:
            text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title)
            slug = "".join(c for c in text.lower() if c.isalnum() or c in " -_").replace(" ", "-")
            anchor, count = slug, 0
            while anchor in found:
                count += 1
                anchor = f"{slug}-{count}"
            found.add(anchor)
        return found | set(re.findall(r"<[^>]*\b(?:id|name)=\"([^\"]+)\"", "\n".join(self.prose)))

    def section(self, number):
        """Returns the section whose heading begins with a number or name, up to the next heading of its level; None if there is none."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        for index, (start, level, title) in enumerate(self.headings):
            if re.match(re.escape(number) + r"(?![\w]|\.\d)", title):
                ends = [line for line, other, _ in self.headings[index + 1:] if other <= level]
                return plain("\n".join(lines[start - 1:(ends[0] - 1 if ends else len(lines))]))
        return None

    def has_label(self, label):
        return any(re.match(r"[|-]\s*[*`]*" + label + r"\b", line) for line in self.prose)


def plain(text):
    return re.sub(r"\s+", " ", re.sub(r"[*`]", "", text)).lower()


def without_code(text):
    """Returns the text with blanks instead of code in backticks and comments, so that positions do not change."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    return re.sub(r"<!--.*?-->", blank, re.sub(r"(`+)(?!`)[^\n]*?[^`]\1(?!`)|(`+)[^`]\2(?!`)", blank, text), flags=re.S)
