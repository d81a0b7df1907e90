"""Checks that each public and package declaration in Sources has a doc comment.

Relies on what swift-format ensures: a declaration begins on a line of its own, and its indentation shows what contains it.
"""
import collections
import re

from .files import files

WORDS = "public|package|internal|private|fileprivate|open|final|static|class|indirect|nonisolated|mutating|nonmutating|consuming|borrowing|" \
        "override|convenience|required|weak|unowned|lazy|dynamic|prefix|postfix|infix"
DECLARATION = re.compile(
    rf"(?P<attributes>(?:@\w+(?:\((?:[^()]|\([^()]*\))*\))? +)*)(?P<words>(?:(?:{WORDS})(?:\(\w+\))? +)*)"
    r"(?P<kind>class|struct|enum|actor|protocol|extension|typealias|associatedtype|func|init|subscript|var|let|case)\b[?]?"
    r" *(?P<name>`?[\w.]+`?|[^\s\w(]+|)")
CONTAINERS = {"class", "struct", "enum", "actor", "protocol", "extension"}
STRING = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"')

# What the protocols of others define. Those of this package are read from the sources.
PROTOCOLS = {
    "Equatable": "==", "Comparable": "== <", "Hashable": "== hash(into:)", "Identifiable": "id",
    "LocalizedError": "errorDescription", "CustomStringConvertible": "description", "CustomDebugStringConvertible": "debugDescription",
    "CustomReflectable": "customMirror",
    "Encodable": "encode(to:)", "Decodable": "init(from:)", "Codable": "encode(to:) init(from:)", "RawRepresentable": "rawValue init(rawValue:)",
    "OptionSet": "rawValue init(rawValue:)", "CaseIterable": "allCases", "SortComparator": "order compare(_:_:)",
    "IteratorProtocol": "Element next()", "Sequence": "Element makeIterator() underestimatedCount",
    "AsyncIteratorProtocol": "Element next() next(isolation:)", "AsyncSequence": "Element makeAsyncIterator()",
    "RandomAccessCollection": "Element makeIterator() startIndex endIndex subscript(_:) index(after:) index(before:)",
    "ExpressibleByStringLiteral": "init(stringLiteral:)", "ExpressibleByStringInterpolation": "init(stringLiteral:) init(stringInterpolation:)",
    "StringInterpolationProtocol": "init(literalCapacity:interpolationCount:) appendLiteral(_:)",
    "ExpressibleByArrayLiteral": "init(arrayLiteral:)", "ExpressibleByDictionaryLiteral": "init(dictionaryLiteral:)",
    "ChannelInboundHandler": "InboundIn OutboundOut handlerAdded(context:) handlerRemoved(context:) channelRead(context:data:) "
                             "channelInactive(context:) errorCaught(context:error:)",
    "RemovableChannelHandler": "removeHandler(context:removalToken:)",
}
PROTOCOLS = {name: set(names.split()) for name, names in PROTOCOLS.items()}


class Declaration:
    def __init__(self, lines, number, match, parent):
        self.number, self.parent, self.kind = number, parent, match["kind"]
        self.words = set(re.sub(r"\w+\(set\)", "", match["words"]).split())
        end = number
        self.head = lines[number]  # Up to the end of the parameters, or to the body of a type.
        while end + 1 < len(lines) and (self.head.count("(") > self.head.count(")") or self.kind in CONTAINERS and "{" not in self.head):
            end += 1
            self.head += "\n" + lines[end]
        self.indent = len(self.head) - len(self.head.lstrip())
        self.is_open = self.head.count("{") > self.head.count("}")
        rest = self.head[match.end():]
        self.parameters, self.tail = parameters(rest) if self.kind in ("func", "init", "subscript") else ([], "")
        self.name = self.kind if self.kind in ("init", "subscript") else match["name"].strip("`")
        if self.kind in ("func", "init", "subscript") and re.match(r"\w", self.name):
            self.name += "(" + "".join(label + ":" for label, _ in self.parameters) + ")"
        elif self.kind in ("var", "let") and not self.name:
            self.name = self.head[match.start("name"):].partition("=")[0].partition("{")[0].strip()  # let (a, b)
        self.inherited = re.findall(r"[A-Z]\w*", rest.partition("{")[0].partition(" where ")[0].rpartition(">")[2].partition(":")[2])
        self.attributes, self.is_documented = match["attributes"], False
        for line in reversed(lines[:number]):
            self.is_documented = line.strip().startswith("///")
            if self.is_documented or not re.match(r" *(@|// )", line) or DECLARATION.match(line.lstrip()):
                break
            self.attributes += line
        self.assigns = [line.strip() for line in body(lines, end, self)] if self.kind == "init" else []

    @property
    def is_visible(self):
        """Whether other targets see the declaration, if they see what contains it."""
        if self.kind == "case" or self.parent and self.parent.kind == "protocol":
            return self.parent.is_visible
        return self.words & {"public", "package", "open"} and self.kind != "extension"

    @property
    def is_replaced(self):
        """Whether the declaration, or what contains it, is deprecated or unavailable with a message or the new name."""
        return bool(re.search(r"(deprecated|unavailable),.*(message|renamed):", self.attributes)) or bool(self.parent and self.parent.is_replaced)

    def is_memberwise(self, properties):
        """Whether an initializer only assigns its parameters to properties that have their names, and are documented."""
        return self.kind == "init" and "init?" not in self.head and not re.match(r"\s*(async )?throws", self.tail) \
            and all(re.fullmatch(r"self\.\w+ = \w+|\(self\.[\w., ]+\) = \([\w, ]+\)", line) for line in self.assigns) \
            and all(name in properties for _, name in self.parameters)


def parameters(text):
    """Returns the label and the name of each parameter, from the text that begins before the parameters, and the text after them."""
    depth, found, current = 0, [], ""
    start = text.find("(")
    for place, character in enumerate(text[start:], start):
        depth += (character in "([{<") - (character in ")]}")
        if character == ">" and not current.endswith("-"):
            depth -= 1
        if depth == 0 or depth == 1 and character == ",":
            found.append(current.lstrip("( \n"))
            current = ""
            if depth == 0:
                break
        else:
            current += character
    names = [part.partition(":")[0].split() for part in found if ":" in part]
    return [(words[0], words[-1]) for words in names], text[place + 1:]


def body(lines, end, declaration):
    """Returns the lines of the body of an initializer."""
    if not declaration.is_open:
        return [line for line in [declaration.head.rpartition("{")[2].rpartition("}")[0]] if line.strip()]
    last = next(number for number in range(end + 1, len(lines)) if lines[number].startswith(" " * declaration.indent + "}"))
    return lines[end + 1:last]


def read(path):
    """Returns the declarations in a file, except for those inside functions."""
    text = STRING.sub(lambda match: '""' + "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
    lines, found, opened = text.splitlines(), [], []
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if opened and line.startswith("}", indent) and indent == opened[-1].indent:
            opened.pop()
        match = DECLARATION.match(line, indent)
        if match and indent == 4 * len(opened):
            found.append(Declaration(lines, number, match, opened[-1] if opened else None))
            if found[-1].kind in CONTAINERS and found[-1].is_open:
                opened.append(found[-1])
            elif found[-1].kind in CONTAINERS and (member := DECLARATION.match(line, line.find("{") + 2)):
                found.append(Declaration(lines, number, member, found[-1]))  # On the same line, so a comment before it is for both.
    return found


def check_declarations(root, findings):
    declared = {path: read(path) for path in files(root, {".swift"}, ["Sources"])}
    defined, inherited, documented = (collections.defaultdict(set) for _ in range(3))
    for name, names in PROTOCOLS.items():
        defined[name] |= names
    for declaration in [declaration for found in declared.values() for declaration in found]:
        if declaration.kind in CONTAINERS:
            inherited[declaration.name].update(declaration.inherited)
        if declaration.parent and declaration.parent.kind == "protocol" and declaration.is_documented:
            defined[declaration.parent.name].add(declaration.name)
        if declaration.parent and declaration.kind in ("var", "let") and declaration.is_documented:
            documented[declaration.parent.name].update(re.findall(r"\w+", declaration.name))

    def names(type, seen=frozenset()):
        """Returns the names that the protocols of a type define, and those that these inherit."""
        return set() if type in seen else defined[type].union(*(names(other, seen | {type}) for other in inherited[type]))

    for path, found in declared.items():
        for declaration in found:
            parent = declaration.parent
            is_exception = declaration.is_documented or "override" in declaration.words \
                or declaration.is_replaced or parent and parent.kind != "protocol" and declaration.name in names(parent.name) \
                or parent and declaration.is_memberwise(documented[parent.name])
            if declaration.is_visible and not is_exception:
                findings.add(path, declaration.number + 1, f"{declaration.kind} {declaration.name} has no doc comment")
