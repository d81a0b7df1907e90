"""Calls of the compiler: it checks sources as a platform of Apple compiles them, with the stubs for the modules of that platform."""
import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from .conditions import APPLE, rewritten
from .targets import BuildMissing

STUBS = Path(__file__).resolve().parent / "stubs"
# A file that each target gets, not a module.
ADDITIONS = "Additions"
STUB_OPTIONS = ["-parse-as-library", "-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault"]
MESSAGE = re.compile(r"^(/[^\n]*?|<unknown>):(\d+):\d+: (?:error|fatal error): (.*)$", re.M)
IMPORT = re.compile(r"^(?:public )?import (\w+)", re.M)


class Compiler:
    """Use it in a `with` statement; the stubs and the changed sources are in a temporary folder."""

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="check-apple-"))
        compiler = shutil.which("swiftc")
        if not compiler:
            raise BuildMissing("swiftc was not found.")
        plugins = Path(compiler).resolve().parent.parent / "lib/swift/host/plugins"
        self.command = ["swiftc", "-frontend", *[option for each in (plugins, plugins / "testing") if each.exists()
                                                 for option in ("-plugin-path", str(each))]]
        modules = [path for path in sorted(STUBS.glob("*.swift")) if path.stem != ADDITIONS]
        names = {path.stem for path in modules}
        # The stubs that import others come after these.
        importing = [path for path in modules if names & set(IMPORT.findall(path.read_text(encoding="utf-8")))]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            for group in ([path for path in modules if path not in importing], importing):
                for path, output in zip(group, threads.map(self.compile_stub, group)):
                    if output:
                        raise BuildMissing(f"The stub {path.name} cannot be compiled:\n{output}")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def fresh(self):
        """For another repository: forgets the modules and sources of the one before."""
        yield
        for platform in APPLE:
            shutil.rmtree(self.folder / platform, ignore_errors=True)

    def compile_stub(self, path):
        module = self.folder / "stubs" / f"{path.stem}.swiftmodule"
        module.parent.mkdir(exist_ok=True)
        return self.run(["-emit-module", "-module-name", path.stem, "-I", str(module.parent), *STUB_OPTIONS, str(path), "-o", str(module)])

    def run(self, arguments):
        """Returns what the compiler says if it fails, otherwise an empty text."""
        result = subprocess.run([*self.command, *arguments], capture_output=True, text=True)
        return "" if result.returncode == 0 else (result.stdout + result.stderr).strip() or f"it ends with status {result.returncode}"

    def check(self, target, platform, changed, problems, is_whole):
        """Checks the sources of a target that are in `changed`, or all.

        `is_whole`: all of them, and the module takes the place of the one that was built for this system for the targets that follow.
        """
        folder, modules = self.folder / platform / target.name, self.folder / platform / "Modules"
        folder.mkdir(parents=True)
        modules.mkdir(exist_ok=True)
        origins, arguments, outputs = {}, [], []
        for number, path in enumerate(target.sources):
            text = path.read_text(encoding="utf-8")
            copy = rewritten(text, platform)
            source = path
            if copy != text:
                # Two files of a target may have the same name.
                source = folder / f"{number}" / path.name
                source.parent.mkdir()
                source.write_text(copy, encoding="utf-8")
                origins[str(source)] = path
            if not is_whole and path in changed:
                arguments.append("-primary-file")
                outputs += ["-o", os.devnull]
            arguments.append(str(source))
        if is_whole:
            action = ["-emit-module", "-o", str(modules / f"{target.name}.swiftmodule")]
        else:
            # As far as the intermediate language, because data races and uses before the initialization are found there.
            action = ["-emit-sil", *outputs]
        output = self.run([*action, "-module-name", target.name, "-I", str(modules), "-I", str(self.folder / "stubs"), *frontend(target.options),
                           *arguments, str(STUBS / f"{ADDITIONS}.swift")])
        self.report(output, problems, origins, f"({platform})", target.sources[0])

    def check_snippets(self, page, lines, options, mode, problems):
        """Checks the blocks of a page for Apple's systems."""
        source = self.folder / f"{page.name}-{mode}.swift"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        output = self.run(["-emit-sil", "-o", os.devnull, "-module-name", "Snippets", "-parse-as-library",
                           "-I", str(self.folder / "macOS/Modules"), "-I", str(self.folder / "stubs"), *frontend(options), str(source),
                           str(STUBS / f"{ADDITIONS}.swift")])
        self.report(output, problems, {str(source): page.template}, f"(iOS, Swift {mode})", page.path)

    def report(self, output, problems, origins, where, fallback):
        messages = MESSAGE.findall(output)
        for path, line, reason in messages:
            problems.add(origins.get(path, path), int(line), f"{reason} {where}")
        if output and not messages:
            problems.add(fallback, 1, f"the compiler fails {where}: {output[-500:]}")


def frontend(options):
    """Returns the options of the driver as those of the compiler itself."""
    return [each for each in options if each != "-Xfrontend"]
