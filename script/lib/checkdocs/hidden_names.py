"""Checks that no variable has the name of the function that its value calls: the variable would hide the function."""
import re

from .files import files

PREFIX = r"(?:try[?!]? +)?(?:await +)?"
# let table = try table(of: name)
SINGLE = re.compile(rf"\b(?:let|var) +(?P<name>\w+)(?: *: *[^=]+?)? *= *{PREFIX}(?P=name)\(")
# let (access, base) = (try access(), base)
SEVERAL = re.compile(r"\b(?:let|var) +\((?P<names>\w+(?:, *\w+)+)\) *= *\((?P<values>.*)")


def check_hidden_names(root, findings):
    for path in files(root, {".swift"}, ("Sources",)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for name in hidden(line.split("//", 1)[0]):
                findings.add(path, number, f"the variable {name} hides the function {name}; call the function as self.{name}, or rename one")


def hidden(line):
    """Returns the names of the variables of a line that hide the functions they are made with."""
    names = [match["name"] for match in SINGLE.finditer(line)]
    for match in SEVERAL.finditer(line):
        names += [name for name in re.split(", *", match["names"]) if re.search(rf"(?:^|, *){PREFIX}{name}\(", match["values"])]
    return names
