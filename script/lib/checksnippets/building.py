"""What `swift build --build-tests` has built, as a library that the programs are linked with."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from products import products


class BuildMissing(Exception):
    pass


class Build:
    """Use it in a `with` statement; the library is in a temporary folder."""

    def __init__(self, root):
        self.root, self.products = root, products(root).resolve()
        tool = self.products / "cblite.product/Objects.LinkFileList"
        if not tool.exists():
            raise BuildMissing("The project is not built. Run 'swift build --build-tests' first.")
        wanted = [line.strip().strip("'\"") for line in tool.read_text().split("\n") if line.strip()]
        self.objects = [path for path in wanted if "/cblite.build/" not in path and "/ArgumentParser" not in path]
        for name in ("CouchbaseLiteTestSupport", "CouchbaseLiteSwiftLogBridge", "Logging"):
            self.objects += [str(path) for path in (self.products / f"{name}.build").glob("*.o")]
        # The linker of the toolchain, where it exists, takes half of the time of the system's.
        self.has_fast_linker = sys.platform == "linux" and Path(shutil.which("swiftc")).resolve().with_name("ld.lld").exists()
        self.has_replication = any("/Transport.build/" in path for path in self.objects)

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="check-snippets-"))
        listing = self.folder / "objects"
        listing.write_text("\n".join(f'"{path}"' for path in self.objects))
        self.library = self.folder / "libSnippets.so"
        self.run(["swiftc", "-emit-library", "-o", str(self.library), f"@{listing}", "-lsqlite3", "-lz", "-lstemmer"])
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, command):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise BuildMissing(f"{' '.join(command)[:200]} fails:\n{result.stdout[-3000:]}{result.stderr[-3000:]}")

    def module_maps(self):
        """The module maps of the C modules of the project and of its dependencies."""
        maps = []
        for folder in [self.root / "Sources", *self.products.glob("C*.build"),
                       *(self.root / ".build/checkouts").glob("*/Sources")]:
            maps += folder.rglob("module.modulemap")
        return [f"-fmodule-map-file={path}" for path in sorted(maps)]

    def compile(self, files, mode, executable):
        """Compiles a program. Returns what the compiler says if it fails; otherwise `None`."""
        # As one module, because a compiler for each file would read all modules again.
        flags = ["-Onone", "-wmo", "-swift-version", mode, "-I", str(self.products / "Modules"), "-module-name", "Snippets", "-suppress-warnings",
                 *(["-DReplication"] if self.has_replication else [])]
        for path in self.maps:
            flags += ["-Xcc", path]
        if self.has_fast_linker:
            flags.append("-use-ld=lld")
        result = subprocess.run(["swiftc", *flags, *map(str, files), "-o", str(executable), str(self.library),
                                 "-Xlinker", "-rpath", "-Xlinker", str(self.folder)],
                                capture_output=True, text=True)
        return None if result.returncode == 0 else result.stdout + result.stderr

    @property
    def maps(self):
        if not hasattr(self, "known_maps"):
            self.known_maps = self.module_maps()
        return self.known_maps


def first_error(output):
    """Returns the path, line and text of the first error that a compiler reports."""
    match = re.search(r"^(/\S+?):(\d+):\d+: error: (.*)$", output, re.M)
    return (match[1], int(match[2]), match[3]) if match else None
