"""Drives Chromium over a pipe with the DevTools protocol. Needs only the standard library.

The descriptors 3 and 4 of this process are used for the pipe, as Chromium expects them.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

KEYS = {
    "Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, ""), "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowUp": ("ArrowUp", 38, ""), "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowRight": ("ArrowRight", 39, ""), "End": ("End", 35, ""),
    "Home": ("Home", 36, ""), "PageDown": ("PageDown", 34, ""), "Space": ("Space", 32, " "),
}
MODIFIERS = {"Alt": 1, "Control": 2, "Shift": 8}


def executable():
    """Returns the path of Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Failure(Exception):
    pass


class Browser:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="inspector-browser-")
        to_child, commands = os.pipe()
        answers, from_child = os.pipe()
        # Above 4, so that they are not overwritten.
        to_child, commands, answers, from_child = (self.high(one) for one in (to_child, commands, answers, from_child))
        os.dup2(to_child, 3)
        os.dup2(from_child, 4)
        os.close(to_child)
        os.close(from_child)
        arguments = [
            executable(), "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--disable-extensions", "--mute-audio", "--hide-scrollbars",
            f"--user-data-dir={self.profile.name}", "about:blank",
        ]
        if os.getuid() == 0:
            arguments.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(
            arguments, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(3)
        os.close(4)
        self.commands, self.answers = commands, answers
        self.buffer = b""
        self.number = 0
        self.problems = []
        # The addresses that the page has read since they were cleared, and the messages on its WebSockets.
        self.reads, self.messages = [], []
        # Parts of problems that were provoked. They stay for the whole walk: the browser may report a problem after the page has shown it.
        self.provoked = set()
        self.session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")
        # Violations of the policy are events of the document.
        self.send(
            "Page.addScriptToEvaluateOnNewDocument",
            source="window.violations = []; document.addEventListener('securitypolicyviolation',"
            " (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));",
        )

    @staticmethod
    def high(descriptor):
        import fcntl

        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
        os.close(descriptor)
        return moved

    def close(self):
        try:
            self.session = None
            self.send("Browser.close")
            self.process.wait(20)
        except Exception:
            self.process.kill()
            self.process.wait()
        time.sleep(0.1)
        try:
            self.profile.cleanup()
        except OSError:
            pass

    # Messages

    def send(self, method, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        deadline = time.monotonic() + 60
        while True:
            answer = self.receive(deadline)
            if answer is None:
                raise Failure(f"{method}: the browser does not answer")
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return None
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise Failure("the browser has ended")
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def unexpected_problems(self):
        """Returns the problems since the last call, without those that were provoked."""
        problems, self.problems = self.problems + [f"policy: {one}" for one in self.violations()], []
        return [one for one in problems if not any(part in one for part in self.provoked)]

    def note(self, event):
        method, values = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.problems.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.problems.append("console: " + " ".join(str(one.get("value", one.get("description"))) for one in values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.problems.append(f"log: {values['entry']['text']} {values['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent" and values["request"]["method"] == "GET":
            self.reads.append(values["request"]["url"])
        elif method == "Network.webSocketFrameReceived":
            self.messages.append(values["response"]["payloadData"])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append("a dialog was opened: " + values["message"])

    # The page

    def open(self, url):
        self.send("Page.navigate", url=url)

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        """Waits until an expression is true or an object. The time is for machines that are busy with other tests."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                value = self.evaluate(f"Boolean({expression})")
                if value:
                    return
            except Failure as failure:
                if "Cannot find" not in str(failure) and time.monotonic() > deadline:
                    raise
            if time.monotonic() > deadline:
                raise Failure(f"this did not become true: {expression}")
            time.sleep(0.03)

    def expect(self, expression, value=True, seconds=15):
        """Waits until an expression has a value."""
        deadline = time.monotonic() + seconds
        while (found := self.evaluate(expression)) != value:
            if time.monotonic() > deadline:
                raise Failure(f"{expression} is {found!r}, not {value!r}")
            time.sleep(0.03)

    def click(self, selector):
        self.wait(f"document.querySelector({json.dumps(selector)})")
        place = self.evaluate(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.scrollIntoView({{block: 'center'}});"
            " const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def press(self, name, *modifiers):
        bits = sum(MODIFIERS[one] for one in modifiers)
        key, code, text = KEYS[name] if name in KEYS else (name, ord(name.upper()), name)
        values = {"key": " " if name == "Space" else key, "windowsVirtualKeyCode": code, "modifiers": bits, "code": name}
        self.send("Input.dispatchKeyEvent", type="keyDown" if text and not bits & 3 else "rawKeyDown", text=text, **values)
        self.send("Input.dispatchKeyEvent", type="keyUp", **values)

    def type(self, text):
        self.send("Input.insertText", text=text)

    def screen(self, width, height, colours="light", reduced_motion=True):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        motion = {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"}
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}, motion])

    def picture(self, path):
        data = self.send("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def violations(self):
        return self.evaluate("window.violations || []")
