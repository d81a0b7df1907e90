"""Files of the repository, and the findings in them."""
import os
from pathlib import Path


class Findings:
    """The errors found, with their positions."""

    def __init__(self, root):
        self.root, self.all = root, []

    def add(self, path, line, reason):
        try:
            path = path.relative_to(self.root)
        except ValueError:
            pass
        self.all.append((str(path), line, reason))

    def lines(self):
        return [f"{path}:{line}: {reason}" for path, line, reason in sorted(set(self.all))]


def files(root, suffixes, under=(".",)):
    """Returns the files with one of the suffixes, except those in folders whose names begin with a dot (builds, git)."""
    found = []
    for top in under:
        for folder, folders, names in os.walk(root / top):
            folders[:] = sorted(name for name in folders if not name.startswith(".") or name == ".github")
            found += [Path(folder) / name for name in sorted(names) if Path(name).suffix in suffixes]
    return found
