"""Composes, compiles and runs the programs."""
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checksnippets.building import first_error

SECONDS = 60
METHODS = {"a method of a @MainActor class": "@MainActor final class SnippetClass", "a method of an actor": "actor SnippetActor"}


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


def methods(page, programs, declaration):
    """All programs of a page as methods of a class or an actor."""
    is_actor, name = declaration.startswith("actor "), declaration.split()[-1]
    lines = [*sorted(page.imports), *numbered(page.declarations), declaration + " {"]
    if is_actor:
        programs = [program for program in programs if not program.is_on_main_actor]
    for index, program in enumerate(programs):
        lines += [f"func part{index}() async throws {{", *numbered(program), "}"]
    calls = [f"try await snippets.part{index}()" for index, program in enumerate(programs) if program.runs]
    return [*lines, "}", f"let snippets = {'' if is_actor else 'await '}{name}()", *calls, "finish()"]


def run_all(root, pages, build, problems):
    """Compiles and runs all programs of the pages, and returns their number."""
    work = []
    for page in pages:
        for mode in ("5", "6"):
            work += [(page, "the top level of main.swift", mode, top_level(page, program), program.runs) for program in page.programs]
            if page.programs:
                work += [(page, context, mode, methods(page, page.programs, declaration), any(program.runs for program in page.programs))
                         for context, declaration in METHODS.items()]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(lambda item: check(root, build, problems, *item), work))
    return len(work)


def check(root, build, problems, page, context, mode, lines, runs):
    """Compiles a program, and runs it in a folder of its own."""
    folder = Path(tempfile.mkdtemp(dir=build.folder))
    (folder / "main.swift").write_text("\n".join(lines) + "\n", encoding="utf-8")
    where = f"(in {context}, Swift {mode})"
    output = build.compile([folder / "main.swift", root / "Tests/Data/Snippets/Support/Support.swift"], mode, folder / "program")
    if output is not None:
        path, line, reason = first_error(output) or (page.template, 1, output[-500:])
        problems.add(path, line, f"{reason} {where}")
        return
    if not runs:
        return
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "SWIFT_BACKTRACE": "enable=no"}
    try:
        result = subprocess.run([folder / "program"], cwd=folder, env=environment, capture_output=True, text=True,
                                errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        problems.add(page.template, 1, f"the program does not end within {SECONDS} s {where}")
        return
    if result.returncode != 0:
        said = (result.stdout + result.stderr).strip().split("\n")[-3:]
        problems.add(page.template, 1, f"the program ends with status {result.returncode} {where}: " + " | ".join(said))
    shutil.rmtree(folder, ignore_errors=True)
