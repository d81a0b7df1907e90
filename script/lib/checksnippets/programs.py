"""Composes, compiles and runs the programs."""
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checksnippets.building import first_error

SECONDS = 60
TOP_LEVEL, METHODS = "the top level of main.swift", "methods of a @MainActor class and of an actor"


def numbered(lines):
    """Returns lines with the positions by which the compiler names them."""
    result, expected = [], None
    for path, line, text in lines:
        if (path, line) != expected:
            result.append(f'#sourceLocation(file: "{path}", line: {line})')
        result.append(text)
        expected = (path, line + 1)
    return [*result, "#sourceLocation()"] if result else []


def top_level(page, program):
    """The program as the top level of main.swift."""
    return [*sorted(page.imports), *numbered(page.declarations), *numbered(program), "finish()"]


def methods(page):
    """All programs of a page as methods of a class and of an actor. The program runs those of the one that its argument names."""
    lines = [*sorted(page.imports), *numbered(page.declarations)]
    calls = {}
    for name, declaration in (("SnippetClass", "@MainActor final class"), ("SnippetActor", "actor")):
        lines.append(f"{declaration} {name} {{")
        calls[name] = []
        for index, program in enumerate(page.programs):
            if name == "SnippetActor" and program.is_on_main_actor:
                continue
            lines += [f"func part{index}() async throws {{", *numbered(program), "}"]
            if program.runs:
                calls[name].append(f"try await snippets.part{index}()")
        lines.append("}")
    return [*lines,
            'if CommandLine.arguments.last == "actor" {', "let snippets = SnippetActor()", *calls["SnippetActor"],
            "} else {", "let snippets = await SnippetClass()", *calls["SnippetClass"], "}", "finish()"]


def run_all(root, pages, build, problems, is_quick=False):
    """Compiles and runs all programs of the pages, and returns their number.

    `is_quick`: only as methods and in Swift 6 mode, which finds most mistakes and takes a fifth of the time.
    """
    work = []
    for page in pages:
        if not page.programs:
            continue
        for mode in ("6",) if is_quick else ("5", "6"):
            # The names of the contexts are the arguments of the program.
            names = [name for name, programs in (("class", page.programs), ("actor", [each for each in page.programs if not each.is_on_main_actor]))
                     if any(program.runs for program in programs)]
            work.append((page, METHODS, mode, methods(page), names))
            if not is_quick:
                work += [(page, TOP_LEVEL, mode, top_level(page, program), ["top level"] if program.runs else []) for program in page.programs]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(lambda item: check(root, build, problems, *item), work))
    return len(work)


def check(root, build, problems, page, context, mode, lines, arguments):
    """Compiles a program, and runs it with each of the arguments, in a folder of its own."""
    folder = Path(tempfile.mkdtemp(dir=build.folder))
    (folder / "main.swift").write_text("\n".join(lines) + "\n", encoding="utf-8")
    where = f"(in {context}, Swift {mode})"
    output = build.compile([folder / "main.swift", root / "Tests/Data/Snippets/Support/Support.swift"], mode, folder / "program")
    if output is not None:
        path, line, reason = first_error(output) or (page.template, 1, output[-500:])
        problems.add(path, line, f"{reason} {where}")
        return
    for argument in arguments:
        run(folder, argument, problems, page, where)
    shutil.rmtree(folder, ignore_errors=True)


def run(folder, argument, problems, page, where):
    home = Path(tempfile.mkdtemp(dir=folder))
    environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "SWIFT_BACKTRACE": "enable=no"}
    try:
        result = subprocess.run([folder / "program", argument], cwd=home, env=environment, capture_output=True, text=True,
                                errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        problems.add(page.template, 1, f"the program does not end within {SECONDS} s {where}")
        return
    if result.returncode != 0:
        said = (result.stdout + result.stderr).strip().split("\n")[-3:]
        problems.add(page.template, 1, f"the program ends with status {result.returncode} {where}: " + " | ".join(said))
