"""Checks the blocks of the guides that need Apple's systems."""
from checksnippets.pages import Page, pages
from checksnippets.programs import numbered

# The programs of the project that see only what apps see, by the mode of the language.
CLIENTS = {"5": "Swift5MainProgram", "6": "Swift6MainProgram"}


def check_snippets(root, targets, compiler, problems):
    """Returns the number of blocks."""
    found = [Page(root, path, problems, True) for path in pages(root)]
    known = {target.name: target for target in targets}
    for page in found:
        if not page.apple:
            continue
        lines = [*sorted(page.imports | page.apple_imports), *numbered(page.declarations), *numbered(page.apple)]
        for mode, name in CLIENTS.items():
            compiler.check_snippets(page, lines, app_options(known[name].options), mode, problems)
    return sum(block.is_apple for page in found for block in page.blocks)


def app_options(options):
    """Returns the options without the name of the package, so that the blocks see what is public only."""
    result, rest = [], iter(options)
    for each in rest:
        if each == "-package-name":
            next(rest)
        else:
            result.append(each)
    return result
