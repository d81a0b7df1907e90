"""Runs the shell blocks of Markdown files."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from products import products

SHELLS = {"sh", "bash", "shell", "zsh", "console"}

# At the end of a page, background commands must be running or have succeeded. Bash keeps the status of those that have ended.
PREAMBLE = r"""
set -eE -o pipefail
check_docs_started=()
check_docs_finish() {
    local entry process status
    for entry in ${check_docs_started[@]+"${check_docs_started[@]}"}; do
        process=${entry%:*} status=0
        kill -0 "$process" 2>/dev/null || wait "$process" || status=$?
        if [ "$status" -ne 0 ]; then
            echo "${entry#*:} $status" >"$check_docs_state/background"
            exit "$status"
        fi
    done
}
trap 'echo "$LINENO" >"$check_docs_state/line"' ERR
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
"""


class Blocks:
    def __init__(self, root, pages, cblite, seconds, findings):
        self.root, self.pages, self.cblite, self.seconds, self.findings = root, pages, cblite, seconds, findings
        self.run, self.not_run = 0, {}

    def check(self):
        work = [(page, runnable) for page in self.pages for runnable in [self.sort(page)] if runnable]
        if not work or self.cblite is None:
            return
        # Blocks may listen on fixed ports, so only one check runs at a time.
        with open(Path(tempfile.gettempdir()) / f"cblite-check-docs-{os.getuid()}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for page, runnable in work:
                with tempfile.TemporaryDirectory(prefix="check-docs-") as folder:
                    self.run_page(page, runnable, Path(folder).resolve())

    def sort(self, page):
        """Returns the blocks of a page to run, and records the others by their reasons."""
        runnable = []
        for block in page.blocks:
            mark = re.match(r"\s*<!--\s*not run:?\s*(.*?)\s*-->\s*$", block.before)
            prompts = any(line.lstrip().startswith("$ ") for line in block.lines)
            if block.language not in SHELLS:
                if mark:
                    self.findings.add(page.path, block.line - 1, "only shell blocks are run, so this mark has no meaning here")
                elif prompts and not block.language:
                    self.findings.add(page.path, block.line, "a block with commands after \"$ \" must begin with ```console")
            elif mark and mark[1]:
                place = (page.path.relative_to(self.root), block.line)
                self.not_run.setdefault(mark[1], []).append("%s:%d" % place)
            elif mark:
                self.findings.add(page.path, block.line - 1, "the mark does not say why the block is not run")
            elif block.language == "console" and not prompts:
                self.findings.add(page.path, block.line, "no line of this console block begins with \"$ \"")
            else:
                runnable.append(block)
        fences = {block.line - 1 for block in page.blocks}
        for number, line in enumerate(page.prose, 1):
            if re.match(r"\s*<!--\s*not run", line) and number not in fences:
                self.findings.add(page.path, number, "no block begins on the line after this mark")
        return runnable

    def commands(self, block):
        """Returns the commands of a block for the shell, with the same line numbers as in the page."""
        result, goes_on = [""] * block.line, False
        indent = min((len(line) - len(line.lstrip()) for line in block.lines if line.strip()), default=0)
        for line in (line[indent:] for line in block.lines):
            if block.language == "console":
                if line.startswith("$ ") or (goes_on and line.startswith("> ")):
                    line, goes_on = line[2:], True
                elif not (goes_on and result[-1].endswith("\\")):
                    line, goes_on = "", False
            result.append(line)
        return "\n".join(result) + "\n"

    def run_page(self, page, runnable, folder):
        scratch, state = folder / "scratch", folder / "state"
        scratch.mkdir(), state.mkdir(), (folder / "bin").mkdir()
        (folder / "bin/cblite").symlink_to(self.cblite)
        # The examples, under the names that they have in their own packages. `cblite` may be that of another build.
        for name, program in [("notes", "NotesExample"), ("notes2", "NotesExample2")]:
            (folder / "bin" / name).symlink_to(products(self.root) / program)
        if (self.root / "Samples").is_dir():
            shutil.copytree(self.root / "Samples", scratch / "Samples")
        script = PREAMBLE
        for block in runnable:
            (state / f"{block.line}.sh").write_text(self.commands(block), encoding="utf-8")
            script += f'echo {block.line} >>"$check_docs_state/begun"\nsource "$check_docs_state/{block.line}.sh"\n'
            script += f'[ -z "${{!-}}" ] || check_docs_started+=("$!:{block.line}")\n'
        script += 'check_docs_finish\necho done >>"$check_docs_state/begun"\n'
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(scratch), "NO_COLOR": "1",
                       "check_docs_state": str(state)}
        with open(state / "output", "wb") as output:
            shell = subprocess.Popen(["bash", "-c", script], cwd=scratch, env=environment, stdin=subprocess.DEVNULL,
                                     stdout=output, stderr=output, start_new_session=True)
            try:
                status = shell.wait(timeout=self.seconds)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                end_group(shell)
        begun = (state / "begun").read_text().split() if (state / "begun").exists() else []
        if begun and begun[-1] == "done":
            self.run += len(runnable)
            return
        block = int(begun[-1]) if begun else runnable[0].line
        self.run += max(len(begun) - 1, 0)
        line = block
        if status is None:
            reason = f"the blocks of this page take longer than {self.seconds} s; this one was running"
        elif (state / "background").exists():
            line, code = map(int, (state / "background").read_text().split())
            reason = f"a command of the block in the background fails with exit code {code}"
        elif status == 0:
            reason = "the block ends the shell, so the rest of the page is not run"
        else:
            reason = f"the block fails with exit code {status}"
            if (state / "line").exists():
                line = max(int((state / "line").read_text()), block)
        said = (state / "output").read_text(errors="replace").replace(str(state) + "/", "").splitlines()[-12:]
        self.findings.add(page.path, line, "\n    | ".join([reason, *said]))


def end_group(shell):
    """Ends all processes that a shell has left running."""
    for sign, tries in ((signal.SIGTERM, 50), (signal.SIGKILL, 20)):
        for attempt in range(tries):
            try:
                os.killpg(shell.pid, sign if attempt == 0 else 0)
            except (ProcessLookupError, PermissionError):
                return
            shell.poll()
            time.sleep(0.1)
