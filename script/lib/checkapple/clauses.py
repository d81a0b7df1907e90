"""Finds the clauses of all sources that depend on the platform, and checks those that are not compiled on Linux."""
import os
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from .conditions import APPLE, EXCEPTIONS, ConditionError, clauses

FOLDERS = ("Sources", "Tests", "Examples")
# Targets with declarations that other targets see differently on Apple's systems, in the order in which they use each other: the C library that
# `Base` passes on, and the certificates of the public API. They are checked as a whole, and what mentions the latter is checked too.
WHOLE = ("Base", "CouchbaseLiteSwift")
DIFFERENT = re.compile(r"\bSecCertificate\b")


class Clauses:
    def __init__(self, root, targets, problems):
        self.root, self.targets, self.problems, self.all = root, targets, problems, []
        self.checked, self.excepted = {}, Counter()
        self.mentioning = set()
        for folder in FOLDERS:
            for path in sorted((root / folder).rglob("*.swift")):
                self.read(path)

    def read(self, path):
        if ".build" in path.parts:
            return
        text = path.read_text(encoding="utf-8")
        if DIFFERENT.search(text):
            self.mentioning.add(path)
        try:
            self.all += clauses(path, text)
        except ConditionError as error:
            self.problems.add(path, error.line, str(error))

    def work(self, platform, wanted):
        """Returns the targets that have files of `wanted`, or that are checked as a whole, with these files."""
        found = []
        for target in self.targets:
            files = set(target.sources) & wanted
            if files or (target.name in WHOLE and platform == "macOS"):
                found.append((target, files, target.name in WHOLE))
        return sorted(found, key=lambda each: WHOLE.index(each[0].name) if each[2] else len(WHOLE))

    def check(self, compiler):
        sources = {path for target in self.targets for path in target.sources}
        wanted = {platform: set() for platform in sorted(APPLE, reverse=True)}
        for clause in self.all:
            if "Linux" in clause.platforms:
                continue
            if not clause.platforms:
                self.add_exception(clause)
            elif clause.path not in sources:
                self.problems.add(clause.path, clause.line, f"{clause.condition} is not checked, because the last build has no target with this file")
            else:
                wanted["macOS" if "macOS" in clause.platforms else "iOS"].add(clause.path)
        wanted["macOS"] |= self.mentioning & sources
        for platform, files in wanted.items():
            work = self.work(platform, files)
            self.checked[platform] = sum(len(part[1]) for part in work)
            for target, changed, is_whole in work:
                if is_whole:
                    compiler.check(target, platform, changed, self.problems, is_whole)
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                list(threads.map(lambda part: compiler.check(part[0], platform, part[1], self.problems, False),
                                 [part for part in work if not part[2]]))

    def add_exception(self, clause):
        if clause.condition in EXCEPTIONS:
            self.excepted[clause.condition] += 1
        else:
            self.problems.add(clause.path, clause.line, f"no platform compiles {clause.condition}, and it is no exception with a reason")

    def print_summary(self, lists_all):
        elsewhere = [each for each in self.all if each.platforms and "Linux" not in each.platforms]
        print(f"Clauses that depend on the platform: {len(self.all)}, not compiled on Linux: {len(elsewhere)}. "
              f"Files checked: {', '.join(f'{count} for {platform}' for platform, count in self.checked.items())}.")
        for condition, count in self.excepted.items():
            print(f"  not checked, {count}: {condition}: {EXCEPTIONS[condition]}")
        if lists_all:
            for each in elsewhere:
                print(f"  {each.path.relative_to(self.root)}:{each.line}: {each.condition} ({', '.join(sorted(each.platforms))})")
