"""The targets of the project, with the options with which `swift build --build-tests` has compiled them."""
import json
from pathlib import Path

from products import CONFIGURATION

# What the build writes, and how it divides the work, with the number of arguments that follow.
DROPPED = {
    "-emit-dependencies": 0, "-emit-module": 0, "-emit-module-path": 1, "-output-file-map": 1, "-incremental": 0, "-c": 0, "-enable-batch-mode": 0,
    "-serialize-diagnostics": 0, "-index-store-path": 1, "-parseable-output": 0, "-emit-objc-header": 0, "-emit-objc-header-path": 1, "-g": 0,
    "-module-name": 1, "-emit-executable": 0, "-whole-module-optimization": 0, "-num-threads": 1, "-O": 0, "-gnone": 0, "-use-ld=lld": 0,
    "-no-emit-module-separately-wmo": 0, "-diagnostic-style=llvm": 0,
}


class BuildMissing(Exception):
    pass


class Target:
    def __init__(self, name, sources, options):
        self.name, self.sources, self.options = name, sources, options


def kept(arguments):
    """Returns the options of a call of swiftc that a check of the types needs."""
    result, rest = [], iter(arguments)
    for each in rest:
        if each in ("-Xcc", "-Xfrontend"):
            result += [each, next(rest)]
        elif each in DROPPED:
            for _ in range(DROPPED[each]):
                next(rest)
        elif not each.startswith(("@", "-j")):
            result.append(each)
    return result


def targets(root):
    """Returns the targets of the project, in the order in which they can be compiled."""
    manifest = root / f".build/{CONFIGURATION}.yaml"
    if not manifest.exists():
        raise BuildMissing("The project is not built. Run 'swift build --build-tests' first.")
    found = {}
    for line in manifest.read_text(encoding="utf-8").split("\n"):
        if not line.startswith("    args: [") or '"-module-name"' not in line or '"@' not in line:
            continue
        compiler, *arguments = json.loads(line.split(":", 1)[1])
        listing = Path(next(each for each in arguments if each.startswith("@"))[1:])
        if not compiler.endswith("swiftc") or not listing.exists():
            continue
        sources = [Path(each.strip("'\"")) for each in listing.read_text(encoding="utf-8").split("\n") if each]
        if any(part in path.parts for path in sources for part in ("checkouts",)) or not all(path.is_relative_to(root) for path in sources):
            continue
        module = arguments[arguments.index("-module-name") + 1]
        found[module] = Target(module, sources, kept(arguments))
    return list(found.values())
