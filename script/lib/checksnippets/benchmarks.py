"""The benchmarks are a package of their own, which the build of the project does not compile; so this checks that they can be compiled."""
import re
import subprocess

# What the package manager makes for a target with resources.
BUNDLE = "import Foundation\nextension Foundation.Bundle { static let module = Bundle.main }\n"


def check_benchmarks(root, build):
    """Returns a line for each error in the Swift files of the benchmarks."""
    package = root / "Benchmarks"
    bundle, module_map = build.folder / "Bundle.swift", build.folder / "Floor.modulemap"
    bundle.write_text(BUNDLE)
    module_map.write_text(f'module Floor {{ umbrella "{package}/Sources/Floor/include"\n export * }}\n')
    features = re.findall(r'enableUpcomingFeature\("(\w+)"\)', (package / "Package.swift").read_text())
    flags = [flag for feature in features for flag in ("-enable-upcoming-feature", feature)]
    for path in [f"-fmodule-map-file={module_map}", *build.maps]:
        flags += ["-Xcc", path]
    files = [bundle, *sorted((package / "Sources/cbl-bench").rglob("*.swift"))]
    result = subprocess.run(["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-module-name", "cbl_bench",
                             "-diagnostic-style=llvm", "-I", str(build.products / "Modules"), *flags, *map(str, files)],
                            capture_output=True, text=True)
    errors = [line.removeprefix(f"{root}/") for line in (result.stdout + result.stderr).split("\n") if ": error: " in line]
    return errors or ([] if result.returncode == 0 else [f"Benchmarks: the compiler ends with status {result.returncode}"])
