"""Compares the targets that Architecture.md describes with the manifest, and the dependencies in the manifest with the imports of the sources."""
import json
import os
import re
import subprocess

from .files import files

PAGE = "Documentation/Architecture.md"
ROW = re.compile(r"^\| \[`(?P<name>\w+)`\]\(\.\./(?P<path>[\w./]+)\) \| (?P<uses>[^|]*) \| (?P<modules>[^|]*) \|$")
IMPORT = re.compile(r"^(?:@\w+ )*(?:public |package |internal )?import (?:struct |class |enum |func |protocol |typealias )?(?P<module>\w+)", re.M)


def manifest(root):
    """Returns the description of the package as SwiftPM prints it."""
    environment = {name: value for name, value in os.environ.items() if name != "FLOOR"}
    command = ["swift", "package", "--package-path", str(root), "dump-package"]
    output = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(output.stdout)


def dependencies(target):
    """Returns the names of the targets and of the other packages' products that a target uses."""
    targets, products = [], []
    for dependency in target["dependencies"]:
        kind, value = next(iter(dependency.items()))
        (products if kind == "product" else targets).append(value[0])
    return targets, products


def check_targets(root, findings, package):
    """Checks the tables of Architecture.md and the imports of all sources against `package`, the manifest."""
    targets = {target["name"]: target for target in package["targets"]}
    check_page(root, findings, targets)
    for target in targets.values():
        check_imports(root, findings, target, targets)


def check_page(root, findings, targets):
    page, described = root / PAGE, set()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        row = ROW.match(line)
        if not row:
            continue
        name = row["name"]
        described.add(name)
        if name not in targets or targets[name].get("path") != row["path"]:
            findings.add(page, number, f"there is no target {name} in {row['path']}")
            continue
        for column, names in zip(("uses", "modules"), dependencies(targets[name])):
            listed = [] if row[column].strip() == "–" else row[column].strip().split(", ")
            if sorted(listed) != sorted(names):
                findings.add(page, number, f"{name} uses {', '.join(names) or 'nothing'} in Package.swift, and {', '.join(listed) or 'nothing'} here")
    for name, target in targets.items():
        if target.get("path", "").startswith("Sources/") and name not in described:
            findings.add(page, 1, f"the target {name} is not described")


def check_imports(root, findings, target, targets):
    used, _ = dependencies(target)
    imported = set()
    for path in files(root, {".swift"}, [target["path"]]):
        for match in IMPORT.finditer(path.read_text(encoding="utf-8")):
            imported.add(match["module"])
            if match["module"] in targets and match["module"] not in [*used, target["name"]]:
                number = path.read_text(encoding="utf-8").count("\n", 0, match.start()) + 1
                findings.add(path, number, f"{target['name']} imports {match['module']}, but does not depend on it in Package.swift")
    for name in used:
        # Programs are run, and targets in C that replace functions are linked only.
        is_imported = targets[name]["type"] == "system" or list(files(root, {".swift"}, [targets[name]["path"]]))
        if name not in imported and targets[name]["type"] != "executable" and is_imported:
            findings.add(root / "Package.swift", 1, f"{target['name']} depends on {name}, but does not import it")
