"""Prints the tests that have begun and not ended, from the file in which Swift Testing records the events of a run.

  python3 script/lib/unended.py EVENTS       prints a line for each of these tests, at most 20
  python3 script/lib/unended.py --self-test  tests the program itself

The log of the run does not tell it: the lines of the tests are mixed there with what the tests and their threads print, also within a line.
"""
import json
import sys
from pathlib import Path

MOST = 20


def unended(lines):
    """Returns the names of the test functions that have begun and not ended. The last line may be incomplete, if the process was killed."""
    names, running = {}, {}
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        payload = record.get("payload", {})
        if record.get("kind") == "test" and payload.get("kind") == "function":
            names[payload["id"]] = payload.get("displayName") or payload["name"]
        elif record.get("kind") == "event" and payload.get("testID") in names:
            if payload["kind"] == "testStarted":
                running[payload["testID"]] = True
            elif payload["kind"] == "testEnded":
                running.pop(payload["testID"], None)
    return [names[identifier] for identifier in running]


def self_test():
    def test(name, kind="function"):
        return json.dumps({"kind": "test", "payload": {"kind": kind, "id": f"Tests.{name}", "name": f"{name}()", "displayName": f"the {name}"}})

    def event(kind, name):
        return json.dumps({"kind": "event", "payload": {"kind": kind, "testID": f"Tests.{name}"}})

    lines = [
        test("suite", "suite"), test("ended"), test("hanging"), test("waiting"), event("testStarted", "suite"), event("testStarted", "ended"),
        event("testStarted", "hanging"), event("testCaseEnded", "hanging"), event("testEnded", "ended"), event("testEnded", "hanging")[:40],
    ]
    assert unended(lines) == ["the hanging"], unended(lines)
    assert unended(lines + [event("testEnded", "hanging")]) == []


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        file = Path(sys.argv[1])
        # There is no file if no test has begun.
        found = unended(file.read_text(encoding="utf-8", errors="replace").splitlines()) if file.exists() else []
        for name in found[:MOST]:
            print(f"did not end: {name}")
