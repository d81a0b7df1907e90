"""Checks that the folders of a target depend on each other in one direction only, apart from known cycles."""
import os

import house

# Folders whose types refer to each other: the documents, containers, blobs and databases of the public API, and what a hub reads for a user.
KNOWN = [
    {f"CouchbaseLiteSwift/{name}" for name in ("Blobs", "Containers", "Database", "Documents", "Fragments", "Values")},
    {f"Hub/{name}" for name in ("Access", "Databases", "Rest")},
]


def check_cycles(root, findings):
    for target, files in sorted(house.read(root).items()):
        edges = house.arrows(files)
        for part in house.circles({os.path.dirname(path) or "." for path in files}, edges):
            folders = {f"{target}/{folder}" for folder in part}
            if any(folders <= known for known in KNOWN):
                continue
            # The weakest dependency is the easiest to remove.
            inside = {edge: names for edge, names in edges.items() if set(edge) <= set(part)}
            (start, end), names = min(inside.items(), key=lambda item: (sum(item[1].values()), item[0]))
            path = next((root / "Sources").glob(f"*/{target}/{start}"))
            findings.add(path, 1, f"the folders {', '.join(part)} form a cycle; {start} uses {', '.join(names)} of {end}")
