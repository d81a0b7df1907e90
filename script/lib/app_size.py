#!/usr/bin/env python3
"""Prints what the library adds to an app, and how long the first save and the first query of an app take.

    app_size.py DIRECTORY [--only KIND]

DIRECTORY contains the package Benchmarks/App. It is built for release in four kinds: with and without the trait Replication, each with the Swift
runtime in the app (static) and beside it (dynamic). Each takes minutes. The sizes are those of stripped programs, and differences to a program that
only prints the time. --only builds one: sync-static, sync-dynamic, local-static or local-dynamic.
"""

import os
import statistics
import subprocess
import sys
import tempfile

STARTS = 15


def build(package, kind):
    """Builds a kind, and returns the directory of its programs."""
    options = ["-c", "release", "--package-path", package, "--scratch-path", os.path.join(package, f".build-{kind}")]
    if kind.endswith("static") and sys.platform.startswith("linux"):
        options += ["--static-swift-stdlib", "-Xlinker", "--no-export-dynamic"]
    environment = dict(os.environ)
    environment.pop("APP_WITHOUT_REPLICATION", None)
    if kind.startswith("local"):
        environment["APP_WITHOUT_REPLICATION"] = "1"
    command = ["swift", "build", *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
    return subprocess.run([*command, "--show-bin-path"], env=environment, check=True, capture_output=True, text=True).stdout.strip()


def stripped_size(program, directory):
    copy = os.path.join(directory, os.path.basename(program))
    subprocess.run(["strip", "-o", copy, program], check=True)
    return copy, os.path.getsize(copy)


def times(program, directory):
    """Returns the medians of the times of launches: those that create the database, and those that find it."""
    found = {}
    for number in range(STARTS):
        database = os.path.join(directory, f"data{number}")
        os.mkdir(database)
        for launch in ("new", "existing"):
            lines = subprocess.run([program, database], check=True, capture_output=True, text=True).stdout.splitlines()
            for line in lines:
                if line[:1].isdigit():
                    milliseconds, what = line.split(" ", 1)
                    found.setdefault((launch, what), []).append(float(milliseconds))
    return {key: statistics.median(values) for key, values in found.items()}


def main():
    arguments = sys.argv[1:]
    kinds = ["sync-static", "sync-dynamic", "local-static", "local-dynamic"]
    if len(arguments) == 3 and arguments[1] == "--only" and arguments[2] in kinds:
        kinds = [arguments[2]]
    elif len(arguments) != 1:
        sys.exit(__doc__)
    print("A ten-line app, stripped (MB) / milliseconds from its first line to the end of its first save and its first query")
    for kind in kinds:
        programs = build(arguments[0], kind)
        with tempfile.TemporaryDirectory() as directory:
            _, without = stripped_size(os.path.join(programs, "hello"), directory)
            app, size = stripped_size(os.path.join(programs, "app"), directory)
            measured = times(app, directory)
        line = f"{kind:14}  {size / 1e6:5.1f} MB, without the library {without / 1e6:5.2f} MB"
        for launch in ("new", "existing"):
            line += f"; {launch} database: save {measured[launch, 'first save']:.1f} ms, query {measured[launch, 'first query']:.1f} ms"
        print(line, flush=True)


main()
