"""The clauses of `#if` directives that depend on the platform, and sources as a platform compiles them."""
import re

PLATFORMS = ("Linux", "macOS", "iOS")
APPLE = {"macOS", "iOS"}

# Where each condition is true. Another one has to be added here, so that nobody writes a clause that is never compiled.
TRUE_ON = {
    "os(Linux)": {"Linux"},
    "os(macOS)": {"macOS"},
    "os(iOS)": {"iOS"},
    # Linux on this processor is not checked separately.
    "arch(arm64)": APPLE,
    "_endian(big)": set(),
    "canImport(Glibc)": {"Linux"},
    "canImport(Musl)": set(),
    "canImport(FoundationNetworking)": {"Linux"},
    "canImport(_FoundationICU)": {"Linux"},
    # The manifest has it for these systems only.
    "canImport(CStemmer)": {"Linux", "macOS"},
    "canImport(BackgroundTasks)": {"iOS"},
    "canImport(Combine)": APPLE,
    "canImport(CoreML)": APPLE,
    "canImport(Darwin)": APPLE,
    "canImport(Network)": APPLE,
    "canImport(ObjectiveC)": APPLE,
    "canImport(Security)": APPLE,
    "canImport(SwiftUI)": APPLE,
    "canImport(UIKit)": {"iOS"},
}

# Clauses that are compiled on no platform of these, with the reason.
EXCEPTIONS = {
    "_endian(big)": "no processor of the supported systems is big-endian",
    "canImport(Musl)": "Musl is the C library of static programs, which the project does not build",
}

DIRECTIVE = re.compile(r"^\s*#(if|elseif|else|endif)\b\s*(.*?)\s*(//.*)?$")
ATOM = re.compile(r"\b(?:canImport|os|targetEnvironment|arch|_endian)\s*\([^()]*\)")
FLAG = re.compile(r"\b(?:compiler|swift)\s*\([^()]*\)|\b[A-Za-z_]\w*\b")


class Clause:
    """A part of a source between two directives. `platforms` is the set of those that compile it."""

    def __init__(self, path, line, condition, platforms):
        self.path, self.line, self.condition, self.platforms = path, line, condition, platforms


class ConditionError(Exception):
    """A directive that cannot be understood, with its line."""

    def __init__(self, line, reason):
        super().__init__(reason)
        self.line = line


def name(atom):
    return re.sub(r"\s", "", atom)


def holds(condition, platform, line):
    """Whether a condition is true on a platform. Flags such as `Replication` count as set, and the compiler as new."""
    def value(match):
        if name(match[0]) not in TRUE_ON:
            raise ConditionError(line, f"script/lib/checkapple/conditions.py does not say where {name(match[0])} is true")
        return " True " if platform in TRUE_ON[name(match[0])] else " False "

    text = FLAG.sub(lambda match: match[0] if match[0] in ("True", "False") else " True ", ATOM.sub(value, condition))
    text = text.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    try:
        return bool(eval(text.strip(), {"__builtins__": {}}))
    except (SyntaxError, TypeError) as error:
        raise ConditionError(line, f"the condition {condition} cannot be understood") from error


class Chain:
    """The clauses from an `#if` to its `#endif`."""

    def __init__(self, around):
        self.around, self.taken, self.clauses, self.conditions = around, set(), [], []

    def platforms(self, condition, line):
        """The platforms that compile the next clause: those whose first true condition of the chain this one is."""
        found = {each for each in self.around - self.taken if not condition or holds(condition, each, line)}
        self.taken |= found
        return found


def clauses(path, text):
    """Returns the clauses of a source whose chain of conditions names a platform."""
    found, chains = [], []
    for number, line in enumerate(text.split("\n"), 1):
        match = DIRECTIVE.match(line)
        if not match:
            continue
        kind, condition = match[1], match[2]
        if kind == "if":
            chains.append(Chain(chains[-1].clauses[-1].platforms if chains else set(PLATFORMS)))
        elif not chains:
            raise ConditionError(number, f"#{kind} without #if")
        chain = chains[-1]
        if kind == "endif":
            chains.pop()
            if any(ATOM.search(each) for each in chain.conditions):
                found += chain.clauses
            continue
        chain.conditions.append(condition)
        chain.clauses.append(Clause(path, number, condition or f"#else of {chain.conditions[0]}", chain.platforms(condition, number)))
    if chains:
        raise ConditionError(chains[-1].clauses[0].line, "#if without #endif")
    return sorted(found, key=lambda each: each.line)


def rewritten(text, platform):
    """Returns a source in which the conditions say `true` or `false` as they are on a platform. Lines keep their numbers."""
    def directive(line):
        return ATOM.sub(lambda match: "true" if platform in TRUE_ON[name(match[0])] else "false", line) if DIRECTIVE.match(line) else line

    return "\n".join(map(directive, text.split("\n")))
