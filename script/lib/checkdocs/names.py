"""Checks that each type at the top level of a target has a name that no other target declares."""
import house


def check_names(root, findings):
    for name, places in house.shared_types(house.read(root)).items():
        declared = [next((root / "Sources").glob(f"*/{target}/{path}")) for target, path in places]
        for path in declared[1:]:
            findings.add(path, line(path, name), f"{name} is also the name of a type in {declared[0].relative_to(root)}")


def line(path, name):
    """Returns the number of the line that declares the type."""
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = house.DECLARATION.match(text)
        if match and match["name"] == name and not match["indent"]:
            return number
    return 1
