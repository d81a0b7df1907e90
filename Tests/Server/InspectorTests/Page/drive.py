#!/usr/bin/env python3
"""Uses every view of the inspector's page in headless Chromium, by mouse and by keyboard, and checks what it shows.

usage: drive.py URL [--pictures DIRECTORY] [--large | --work | --read-only]

URL is the link that `cblite inspect` has printed, for the sample database of InspectorTests; with --large or --work, for any database with
very many documents, of which only the first view is checked: how long it takes, or what it reads. Prints a line for each check. Exits with 1
if one fails, with 77 without Chromium.
"""

import argparse
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, Failure, executable  # noqa: E402

HOSTILE_ID = "<img src=x onerror=alert(1)>"
# Returns the texts that have too little contrast with what is behind them.
CONTRAST = """(() => {
  const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const back = (one) => { for (; one; one = one.parentElement) { const c = numbers(getComputedStyle(one).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const bad = [];
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || one.offsetWidth === 0 || one.closest(':disabled, dialog, svg, .skip, noscript')) continue;
    if (getComputedStyle(one).opacity < 1) continue;
    const [x, y] = [light(numbers(getComputedStyle(one).color)), light(back(one))];
    const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    if (ratio < 4.5) bad.push(`${one.className || one.tagName} ${ratio.toFixed(2)} ${one.textContent.slice(0, 30)}`);
  }
  return bad; })()"""


class Walk:
    def __init__(self, browser, url, pictures):
        self.browser, self.url, self.pictures = browser, url, pictures
        self.picture_count = 0

    # Tools

    def picture(self, name):
        if self.pictures:
            self.browser.picture(os.path.join(self.pictures, name + ".png"))

    def view(self, name):
        self.browser.evaluate(f"location.hash = '#{name}'")
        self.browser.wait(f"document.querySelector('#views a[aria-current=page]')?.dataset.view === '{name}'")

    def document(self, identifier, collection="_default._default"):
        address = json.dumps([collection, identifier])
        self.browser.evaluate(f"location.hash = '#documents/' + {address}.map(encodeURIComponent).join('/')")
        self.browser.wait(f"document.querySelector('.detail h2')?.textContent === {json.dumps(identifier)}")

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent")

    def has(self, selector, text):
        self.browser.wait(f"[...document.querySelectorAll({json.dumps(selector)})].some((one) => one.textContent.includes({json.dumps(text)}))")

    def message(self, text):
        """Waits for a message, and removes it, so that the next check does not take it for its own."""
        self.has(".message", text)
        self.browser.evaluate("document.querySelectorAll('.message').forEach((one) => one.remove())")

    def press_button(self, label, within="body"):
        self.browser.wait(
            f"(() => {{ const all = [...document.querySelectorAll({json.dumps(within + ' button')})];"
            f" const one = all.find((one) => one.textContent === {json.dumps(label)} && !one.hidden && !one.disabled); one?.click();"
            " return Boolean(one); })()"
        )

    def check_contrast(self, place):
        bad = self.settled(CONTRAST, lambda bad: not bad)
        assert not bad, f"{place}: {bad[:5]}"

    def check_width(self, place):
        over = self.settled("document.documentElement.scrollWidth - innerWidth", lambda over: over <= 0)
        assert over <= 0, f"{place} is {over} pixels too wide"

    def settled(self, expression, is_good, seconds=5):
        """Returns the value of an expression, the last one of some seconds if none is good: the page may still be laid out."""
        deadline = time.monotonic() + seconds
        while not is_good(value := self.browser.evaluate(expression)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return value

    def api(self, path, method="GET", body=None):
        options = {"method": method}
        if body is not None:
            options["body"] = json.dumps(body)
            options["headers"] = {"Content-Type": "application/json"}
        return self.browser.evaluate(f"fetch({json.dumps('api/' + path)}, {json.dumps(options)}).then((answer) => answer.json())")

    # Checks

    def link(self):
        """The link leads to the page without the token, and works once"""
        self.browser.screen(1280, 800)
        self.browser.open(self.url)
        self.browser.wait("document.documentElement.dataset.ready")
        self.browser.expect("location.href.includes('token')", False)
        self.browser.expect("document.cookie", "")
        self.browser.open(self.url)
        # The browser has access already, so the used link leads to the page.
        self.browser.wait("document.documentElement.dataset.ready && !location.href.includes('token')")

    def documents(self):
        """Collections, properties and documents are shown"""
        self.view("documents")
        self.browser.wait("document.querySelectorAll('.entry').length > 5")
        self.has(".side .item", "_default._default")
        self.has(".schema .path", "name")
        self.browser.wait("!document.querySelector('.side .item span').textContent.includes('…')")
        names = self.browser.evaluate("[...document.querySelectorAll('.side .item bdi')].map((one) => one.textContent)")
        assert names == ["_default._default", "travel.hotels", "travel.room2", "travel.room10"], names
        self.picture("documents-empty-light")

    def exact(self):
        """Enter opens the document with exactly the typed ID, and otherwise moves to the list"""
        self.view("documents")
        for typed, opened in (("person-007", "person-007"), ("person-00", "No document is open"), (HOSTILE_ID, HOSTILE_ID)):
            self.browser.evaluate("location.hash = '#documents/_default._default'")
            self.browser.wait("document.querySelector('.detail .empty-title')")
            self.browser.evaluate("(() => { const one = document.querySelector('[data-search]'); one.value = ''; one.focus(); })()")
            self.browser.type(typed)
            self.browser.press("Enter")
            self.browser.expect("document.activeElement.getAttribute('role')", "listbox")
            self.browser.expect("document.querySelector('.detail h2, .detail .empty-title')?.textContent", opened)
        self.browser.evaluate("document.querySelector('[data-search]').value = ''")
        self.browser.evaluate("location.hash = '#documents/_default._default'")

    def keyboard(self):
        """A document is found, opened, changed and saved with the keyboard only"""
        self.view("documents")
        self.browser.evaluate("document.activeElement?.blur()")
        self.browser.press("/")
        self.browser.expect("document.activeElement.type", "search")
        self.browser.type("person-0")
        self.browser.wait("document.querySelector('.entry bdi')?.textContent === 'person-000'")
        self.browser.press("Enter")
        self.browser.expect("document.activeElement.getAttribute('role')", "listbox")
        self.browser.press("ArrowDown")
        self.browser.press("Enter")
        self.browser.wait("document.querySelector('.detail h2')?.textContent === 'person-001'")
        self.browser.wait("document.querySelector('.tree')")
        self.browser.wait("document.querySelector('.detail [aria-label=\"Value of name\"]')")
        self.browser.evaluate("document.querySelector('.detail [aria-label=\"Value of name\"]').focus()")
        self.browser.press("End")
        self.browser.type(" the Second")
        self.picture("document-changed-light")
        self.browser.press("s", "Control")
        self.message("Saved")
        body = json.loads(self.api("document?collection=_default._default&id=person-001")["body"])
        assert body["name"].endswith(" the Second"), body
        assert body["big"] == 9007199254740993, body

    def visible_focus(self):
        """Every element that takes the focus shows it"""
        self.document("person-002")
        self.browser.evaluate("document.activeElement?.blur()")
        seen = set()
        for _ in range(60):
            self.browser.press("Tab")
            found = self.browser.evaluate(
                "(() => { const one = document.activeElement; if (!one || one === document.body) return null;"
                " const style = getComputedStyle(one), box = one.getBoundingClientRect();"
                " return [one.tagName + ' ' + (one.getAttribute('aria-label') || one.textContent.slice(0, 20)),"
                " style.outlineStyle !== 'none' || one.matches('.rev') || one.id === 'main', box.width > 0]; })()"
            )
            if found is None:
                continue
            assert found[1] and found[2], f"the focus is not visible: {found[0]}"
            seen.add(found[0])
        assert len(seen) > 20, seen

    def conflict_message(self):
        """Saving a document that has been changed meanwhile shows a message, and nothing is lost"""
        self.document("person-003")
        self.browser.wait("document.querySelector('.detail [aria-label=\"Value of name\"]')")
        before = self.api("document?collection=_default._default&id=person-003")
        self.api(f"document?collection=_default._default&id=person-003&rev={before['rev']}", "PUT", {"name": "Someone else"})
        self.browser.evaluate("document.querySelector('.detail [aria-label=\"Value of name\"]').focus()")
        self.browser.type("!")
        self.press_button("Save", ".detail")
        self.has(".detail .error", "changed since")
        self.picture("document-conflict-light")
        self.press_button("Load it", ".detail")
        self.browser.wait("document.querySelector('.detail [aria-label=\"Value of name\"]')?.value === 'Someone else'")
        # The answer with status 409 is no mistake of the page.
        self.browser.provoked.add("status of 409")

    def json_mode(self):
        """A document is changed as JSON text, and mistakes are shown with their place"""
        self.document("person-004")
        self.press_button("JSON", ".detail")
        self.browser.wait("document.querySelector('.json-text')")
        self.browser.evaluate("(() => { const area = document.querySelector('.json-text'); area.value = '{\\n  \"a\": 1,\\n  \"b\" 2}'; area.dispatchEvent(new Event('input')); })()")
        self.press_button("Save", ".detail")
        self.has(".detail .error", "line 3")
        self.picture("document-json-light")
        self.browser.evaluate("(() => { const area = document.querySelector('.json-text'); area.value = '{\"a\": 12345678901234567890, \"list\": [1, 2.5, true, null]}'; area.dispatchEvent(new Event('input')); })()")
        self.press_button("Save", ".detail")
        self.message("Saved")
        text = self.api("document?collection=_default._default&id=person-004")["body"]
        assert "12345678901234567890" in text and "[1,2.5,true,null]" in text, text

    def create_and_delete(self):
        """A document is created and deleted"""
        self.view("documents")
        self.press_button("New", ".list-pane")
        self.browser.wait("document.querySelector('.detail h2')?.textContent === 'New document'")
        self.browser.evaluate("document.querySelector('.detail header input').focus()")
        self.browser.type("made here")
        self.press_button("+ Add a property", ".detail")
        self.browser.press("End")
        self.press_button("Save", ".detail")
        self.browser.wait("document.querySelector('.detail h2')?.textContent === 'made here'")
        self.press_button("Delete", ".detail")
        self.browser.wait("document.querySelector('#question').open")
        self.press_button("Delete", "#question")
        self.browser.wait("document.querySelector('.detail .empty-title')")
        assert self.api("document?collection=_default._default&id=made%20here")["deleted"] is True

    def revisions(self):
        """The revision tree is drawn, and a revision is shown"""
        self.document("torn")
        self.press_button("Revisions", ".detail")
        self.browser.wait("document.querySelectorAll('.rev').length >= 3")
        self.browser.evaluate("document.querySelector('.rev.stored').focus()")
        self.browser.press("Enter")
        self.browser.wait("document.querySelector('.detail pre')")
        self.picture("revisions-light")

    def upload(self):
        """A file is uploaded as a blob of a document, replaces a property only after a question, and is refused if it is too large"""
        self.api("document?collection=_default._default&id=uploads", "PUT", {"name": "kept", "note": "replaced"})
        self.document("uploads")
        self.browser.wait("document.querySelector('.detail [role=tab]')")
        self.browser.evaluate("[...document.querySelectorAll('.detail [role=tab]')].find((one) => one.textContent.startsWith('Blobs')).click()")
        self.browser.wait("document.querySelector('.upload input[type=file]')")
        self.choose_file("new File(['Grüße'], 'note.txt', { type: 'text/plain' })", "scan")
        self.message("Saved")
        self.has(".blob pre", "Grüße")
        self.picture("blob-upload-light")
        self.choose_file("new File(['<b>'], 'page.html', { type: 'text/html' })", "note")
        self.press_button("Replace", "#question")
        self.message("Saved")
        self.browser.wait("document.querySelectorAll('.blob').length === 2")
        body = json.loads(self.api("document?collection=_default._default&id=uploads")["body"])
        assert body["name"] == "kept" and body["scan"]["content_type"] == "text/plain" and body["scan"]["length"] == 7, body
        assert body["note"]["@type"] == "blob", body
        self.choose_file("new File([new Uint8Array(25165825)], 'large')", "large")
        self.has(".upload .error", "at most 25 MB")
        self.choose_file("new File(['x'], 'x')", "_id")
        self.has(".upload .error", "_id")
        self.browser.provoked.add("status of 400")

    def choose_file(self, file, name):
        self.browser.evaluate(
            f"(() => {{ const data = new DataTransfer(); data.items.add({file}); const form = document.querySelector('.upload');"
            f" form.querySelector('input[type=file]').files = data.files; form.querySelector('input[type=text]').value = {json.dumps(name)}; }})()"
        )
        self.press_button("Upload", ".upload")

    def grid(self):
        """The grid shows the documents of a collection, sorts them, filters them by property, and leads to each of them"""
        self.browser.evaluate("location.hash = '#grid/' + encodeURIComponent('_default._default')")
        rows = "document.querySelectorAll('.results tbody tr').length"
        self.browser.wait(f"{rows} === 100")
        self.browser.evaluate("[...document.querySelectorAll('.results th button')].find((one) => one.textContent === 'age').click()")
        self.browser.wait("document.querySelector('.results th[aria-sort=ascending]')?.textContent.startsWith('age')")
        self.press_button("More documents")
        self.browser.wait(f"{rows} > 100 && ![...document.querySelectorAll('button')].some((one) => one.textContent === 'More documents')")
        self.filter("team", "=", "red")
        self.browser.wait(f"{rows} > 30 && {rows} < 45")
        self.filter("age", ">=", "70")
        self.browser.wait(f"{rows} > 0 && {rows} < 20")
        ages = self.column("age")
        assert all(int(age) >= 70 for age in ages) and ages == sorted(ages, key=int), ages
        self.picture("grid-light")
        self.filter("name", "contains", "PERSON 5")
        self.browser.wait("[...document.querySelectorAll('.results tbody tr')].every((row) => row.textContent.includes('Person 5'))")
        self.filter("team", "=", "' OR 1 = 1 --")
        self.has(".results .empty-title", "No documents")
        for _ in range(4):
            self.browser.click("[aria-label='Remove the filter']")
        self.filter("big", "=", "9007199254740993")
        self.browser.wait(f"{rows} === 100")
        self.browser.click("[aria-label='Remove the filter']")
        self.filter("photo", "exists")
        self.browser.wait(f"{rows} === 1")
        self.browser.evaluate("document.querySelector('.results tbody a').click()")
        self.browser.wait("document.querySelector('.detail h2')?.textContent === 'attachments'")
        # What was chosen is still there.
        self.view("grid")
        self.browser.wait(f"{rows} === 1")
        self.browser.click("[aria-label='Remove the filter']")
        self.browser.wait(f"{rows} === 100")
        # A query that is replaced by another one is given up, and is no problem in the console.

    def filter(self, path, operator, value=None):
        """Adds a filter to the grid"""
        self.press_button("Add a filter")
        change = "one.dispatchEvent(new Event('change'))"
        for selector, text in ((".filter:last-child select", path), (".filter:last-child select + select", operator), (".filter:last-child input", value)):
            if text is not None:
                self.browser.evaluate(f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.value = {json.dumps(text)}; {change}; }})()")

    def column(self, name):
        return self.browser.evaluate(
            "(() => { const place = [...document.querySelectorAll('.results th')].findIndex((one) => one.textContent.startsWith("
            f"{json.dumps(name)})); return [...document.querySelectorAll('.results tbody tr')].map((row) => row.children[place].textContent); }})()"
        )

    def export(self):
        """Rows are exported as JSON and as CSV, in which no text is a formula"""
        tricky = {"a": "=1+1", "b": "+49", "c": "-x", "d": "@x", "e": '"quoted", text', "f": "two\nlines", "g": -5, "h": "", "i": "\t=x", "=k": "＝x"}
        self.api("document?collection=_default._default&id=tricky", "PUT", tricky)
        self.view("query")
        self.browser.evaluate("document.querySelector('.editor textarea').value = \"SELECT * FROM _ WHERE meta().id = 'tricky'\"")
        self.press_button("Run")
        self.browser.wait("document.querySelectorAll('.results tbody tr').length === 1")
        self.keep_files()
        self.press_button("Export CSV", ".results")
        self.browser.wait("window.saved.length === 1")
        titles, row = self.browser.evaluate("window.saved[0]").split("\r\n", 1)
        assert titles == "'=k,a,b,c,d,e,f,g,h,i", titles
        assert row == "'＝x,'=1+1,'+49,'-x,'@x,\"\"\"quoted\"\", text\",\"two\nlines\",-5,\"\",\"'\t=x\"\r\n", row
        self.press_button("Export JSON", ".results")
        self.browser.wait("window.saved.length === 2")
        assert list(json.loads(self.browser.evaluate("window.saved[1]"))[0].values()) == [tricky]
        self.browser.evaluate("location.hash = '#grid/' + encodeURIComponent('_default._default')")
        self.browser.wait("document.querySelectorAll('.results tbody tr').length === 100")
        self.press_button("Export JSON", ".results")
        self.browser.wait("window.saved.length === 3")
        saved = self.browser.evaluate("window.saved[2]")
        assert len(json.loads(saved)) >= 120, len(json.loads(saved))
        revision = self.api("document?collection=_default._default&id=tricky")["rev"]
        self.api(f"document?collection=_default._default&id=tricky&rev={revision}", "DELETE")

    def keep_files(self):
        """Keeps the texts of the files that the page saves in `window.saved`"""
        self.browser.evaluate(
            "(() => { window.saved = []; const make = URL.createObjectURL.bind(URL); URL.createObjectURL = (file) => {"
            " file.text().then((text) => window.saved.push(text)); return make(file); }; })()"
        )

    def labels(self):
        """The labels of a chart are whole and inside of it, and on a small screen tables, charts and the log are scrolled sideways"""
        self.view("query")
        query = "SELECT name || ' of a long list of people' AS label, age, age - 20.005 AS part FROM _ WHERE team = 'red' ORDER BY age LIMIT 12"
        for width in (1280, 390):
            self.browser.screen(width, 844)
            self.browser.evaluate(f"document.querySelector('.editor textarea').value = {json.dumps(query)}")
            self.press_button("Run")
            self.browser.wait("document.querySelector('.results [role=tab]')")
            self.press_button("Chart", ".results")
            self.browser.wait("document.querySelectorAll('.results .chart rect').length === 12")
            outside = self.browser.evaluate(
                "(() => { const chart = document.querySelector('.results .chart'), all = chart.getBoundingClientRect(); const texts = [...chart.querySelectorAll('text')];"
                " return texts.filter((one) => { const box = one.getBoundingClientRect(); return box.left < all.left - 1 || box.right > all.right + 1 || box.bottom > all.bottom + 1; })"
                ".map((one) => one.textContent).concat(texts.filter((one) => one.matches('.tick') && !one.firstChild.data.endsWith('of a long list of people')).map((one) => one.textContent)); })()"
            )
            assert outside == [], outside
            assert self.browser.evaluate("document.querySelectorAll('.results .chart .tick').length") >= 6
            self.check_width(f"a chart at {width}")
            self.picture(f"chart-{width}")
        self.browser.evaluate("document.querySelector('.editor textarea').value = 'SELECT meta().id, * FROM _ LIMIT 20'")
        self.press_button("Run")
        self.browser.wait("[...document.querySelectorAll('.results [role=tab]')].some((one) => one.textContent === 'Table')")
        self.press_button("Table", ".results")
        self.scrolls(".results .scroll")
        self.check_width("a table at 390")
        self.picture("table-390")
        self.browser.evaluate("location.hash = '#grid/' + encodeURIComponent('_default._default')")
        self.browser.wait("document.querySelectorAll('.results tbody tr').length === 100")
        self.scrolls(".results .scroll")
        self.check_width("the grid at 390")
        self.view("log")
        self.browser.wait("document.querySelectorAll('.log tr').length > 0")
        self.scrolls(".scroll")
        self.check_width("the log at 390")
        self.browser.screen(1280, 800)

    def scrolls(self, selector):
        """Checks that a table is wider than what shows it, and that its cells are not narrow columns of letters."""
        self.browser.wait(f"(() => {{ const one = document.querySelector({json.dumps(selector)}); return one && one.scrollWidth > one.clientWidth + 20; }})()")
        height = self.browser.evaluate(f"Math.min(...[...document.querySelectorAll({json.dumps(selector + ' tbody tr')})].map((one) => one.offsetHeight))")
        assert height < 160, height

    def blobs(self):
        """Images, texts, sounds and bytes are shown, and HTML is not run"""
        self.document("attachments")
        self.browser.wait("document.querySelector('.detail [role=tab]')")
        self.browser.evaluate("[...document.querySelectorAll('.detail [role=tab]')].find((one) => one.textContent.startsWith('Blobs')).click()")
        self.browser.wait("document.querySelectorAll('.blob').length === 4")
        self.browser.wait("document.querySelector('.blob img')?.naturalWidth === 8")
        self.has(".blob pre", "Grüße")
        self.has(".blob pre", "<script>window.broken = true</script>")
        self.browser.wait("document.querySelector('.blob audio')")
        self.browser.expect("window.broken", None)
        self.picture("blobs-light")
        digest = self.browser.evaluate("[...document.querySelectorAll('.blob')].find((one) => one.textContent.includes('text/html')).querySelector('a').href")
        kind = self.browser.evaluate(f"fetch({json.dumps(digest)}).then((answer) => answer.headers.get('Content-Type') + '|' + answer.headers.get('Content-Security-Policy'))")
        assert kind.startswith("text/plain") and "sandbox" in kind, kind

    def hostile(self):
        """Names and values that look like HTML are shown as text, also from right to left"""
        self.document(HOSTILE_ID)
        self.browser.wait("document.querySelector('.tree')")
        self.browser.expect("document.querySelectorAll('#main img, #main script').length", 0)
        self.document("مثال-٣")
        self.browser.wait("document.querySelector('.tree textarea')")
        self.browser.expect("getComputedStyle(document.querySelector('.detail h2 bdi')).direction", "rtl")
        self.picture("right-to-left-light")

    def follow(self):
        """What changes is shown because the server sends it: the page asks for nothing"""
        # A new list, in which no ID is searched for.
        self.view("log")
        self.view("documents")
        self.browser.wait("document.querySelectorAll('.entry').length > 5")
        self.browser.wait("document.querySelector('.schema .path')")
        self.browser.wait("!document.querySelector('.side .item span').textContent.includes('…')")
        entries = "[...document.querySelectorAll('.entry')].map((one) => one.querySelector('bdi').textContent).filter((id) => id.startsWith('a-'))"
        messages = self.changes(["a-1", "a-2"], f"{entries}.join() === 'a-1,a-2'")
        assert [one["id"] for message in messages for one in message["documents"]] == ["a-1", "a-2"], messages
        assert not any(message["reload"] for message in messages), messages
        revision = self.api("document?collection=_default._default&id=a-1")["rev"]
        self.api(f"document?collection=_default._default&id=a-1&rev={revision}", "DELETE")
        self.browser.wait(f"{entries}.join() === 'a-2'")
        self.view("live")
        self.browser.wait("document.querySelectorAll('.card').length >= 3")
        before = self.api("counters")["collections"][0]["lastSequence"]
        messages = self.changes(["a-3", "a-4"], f"document.querySelector('.card .small').textContent.startsWith('{before + 2} changes')")
        assert messages[-1]["collections"][0]["lastSequence"] == before + 2, messages
        self.view("query")
        self.browser.evaluate("document.querySelector('.editor textarea').value = 'SELECT meta().id FROM _ WHERE followed ORDER BY meta().id'")
        self.browser.evaluate("document.querySelector('.query .row .check input').click()")
        self.press_button("Run")
        rows = "[...document.querySelectorAll('.results tbody tr')].map((one) => one.textContent).join()"
        self.browser.wait(f"{rows} === 'a-2,a-3,a-4'")
        self.picture("query-live-light")
        messages = self.changes(["a-5", "a-6"], f"{rows} === 'a-2,a-3,a-4,a-5,a-6'")
        assert messages[-1]["rows"] == [[f"a-{number}"] for number in (2, 3, 4, 5, 6)], messages
        self.browser.evaluate("document.querySelector('.query .row .check input').click()")
        self.browser.wait("![...document.querySelectorAll('.page button')].some((one) => one.textContent === 'Cancel' && !one.hidden)")
        assert self.api("query", "POST", {"text": "DELETE FROM _ WHERE followed", "write": True})["changed"] == 5

    def changes(self, identifiers, shown):
        """Saves documents one right after the other, waits until they are shown, and returns the messages that the page has received."""
        self.browser.reads, self.browser.messages = [], []
        for identifier in identifiers:
            self.api(f"document?collection=_default._default&id={identifier}", "PUT", {"followed": True})
        self.browser.wait(shown)
        assert self.browser.reads == [], self.browser.reads
        return [json.loads(message) for message in self.browser.messages]

    def query(self):
        """A query is completed, run and shown as table, JSON and chart"""
        self.view("query")
        self.browser.wait("document.querySelector('.editor textarea')")
        self.browser.evaluate("(() => { const area = document.querySelector('.editor textarea'); area.value = ''; area.focus(); })()")
        self.browser.type("SELECT nam")
        self.browser.wait("!document.querySelector('.choices').hidden")
        self.picture("query-completion-light")
        self.browser.press("Enter")
        self.browser.expect("document.querySelector('.editor textarea').value", "SELECT name")
        self.browser.type(", age FROM _ WHERE team = 'red' ORDER BY age DESC LIMIT 12")
        self.browser.press("Escape")
        self.browser.press("Enter", "Control")
        self.browser.wait("document.querySelectorAll('.results tbody tr').length === 12")
        self.picture("query-table-light")
        self.press_button("JSON", ".results")
        self.has(".results pre", "\"age\"")
        self.press_button("Chart", ".results")
        self.browser.wait("document.querySelectorAll('.results .chart rect').length === 12")
        self.picture("query-chart-light")
        self.browser.evaluate("(() => { const one = [...document.querySelectorAll('.results select')][0]; one.value = 'line'; one.dispatchEvent(new Event('change', { bubbles: true })); })()")
        self.browser.wait("document.querySelector('.results .chart .line')")
        self.browser.evaluate("document.querySelector('.editor textarea').value = 'SELECT meta().id, * FROM _ ORDER BY meta().id LIMIT 3'")
        self.press_button("Run")
        self.browser.wait("document.querySelectorAll('.results tbody tr').length === 3 || [...document.querySelectorAll('.results [role=tab]')].some((one) => one.textContent === 'Table')")
        self.press_button("Table", ".results")
        self.browser.wait("[...document.querySelectorAll('.results th')].some((one) => one.textContent === 'name') && document.querySelectorAll('.results tbody tr').length === 3")
        self.browser.expect("document.querySelector('.results th').textContent", "id")
        self.browser.evaluate("document.querySelector('.editor textarea').value = \"UPDATE _ SET name.first = 'x' WHERE meta().id = 'person-000'\"")
        self.press_button("Run")
        self.press_button("Run it", "#question")
        self.has(".results header", "0 documents changed, 1 skipped")
        self.browser.provoked.add("status of 409")
        self.browser.evaluate("document.querySelector('.editor textarea').value = 'SELECT x FROM _ WHERE'")
        self.press_button("Run")
        self.has(".results .error", "WHERE")
        self.picture("query-error-light")
        self.browser.provoked.add("status of 400")

    def plan(self):
        """The plan advises an index, and one click creates it"""
        self.view("query")
        self.browser.evaluate("document.querySelector('.editor textarea').value = \"SELECT name FROM _ WHERE team = 'red' ORDER BY age\"")
        self.press_button("Explain")
        self.browser.wait("document.querySelector('.advice')")
        self.picture("plan-light")
        self.press_button("Create the index", ".advice")
        self.message("Created the index")
        self.browser.wait("document.querySelector('.plan')?.textContent.includes('index')")

    def cancel(self):
        """A query that never ends is cancelled"""
        self.view("query")
        self.browser.evaluate("document.querySelector('.editor textarea').value = 'SELECT count(*) FROM _ AS a JOIN _ AS b ON a.x IS MISSING JOIN _ AS c ON b.x IS MISSING JOIN _ AS d ON c.x IS MISSING'")
        self.press_button("Run")
        self.browser.wait("[...document.querySelectorAll('button')].some((one) => one.textContent === 'Cancel' && !one.hidden && one.offsetWidth > 0)")
        self.press_button("Cancel", ".page")
        self.has(".results .error", "cancelled")
        self.browser.provoked.add("status of 499")

    def indexes(self):
        """Indexes are listed, created and deleted"""
        self.view("indexes")
        self.browser.wait("document.querySelectorAll('tbody tr').length >= 1")
        self.browser.evaluate("document.querySelector('[data-search]').focus()")
        self.browser.type("by_city")
        self.browser.evaluate("document.querySelector('input[placeholder=\"name, geo.alt\"]').focus()")
        self.browser.type("address.city")
        self.press_button("Create")
        self.has("tbody", "by_city")
        self.picture("indexes-light")
        self.browser.evaluate("document.querySelector('[aria-label=\"Delete the index by_city\"]').click()")
        self.press_button("Delete", "#question")
        self.browser.wait("!document.querySelector('tbody')?.textContent.includes('by_city')")

    def conflicts(self):
        """Both versions of a conflict are shown, and the choice is saved"""
        self.view("conflicts")
        self.browser.wait("document.querySelector('.compare')")
        self.picture("conflicts-light")
        self.browser.evaluate("[...document.querySelectorAll('.compare input')].find((one) => one.getAttribute('aria-label') === 'title: remote').click()")
        self.press_button("Save the chosen properties")
        self.message("Resolved")
        body = json.loads(self.api("document?collection=_default._default&id=torn")["body"])
        assert body["title"] == "Theirs" and body["note"] == "mine", body
        self.browser.wait("document.querySelector('.empty-title')?.textContent === 'No conflicts'")
        self.picture("conflicts-empty-light")

    def live(self):
        """Counters change while the database is changed"""
        self.view("live")
        self.browser.wait("document.querySelectorAll('.card').length >= 3")
        for number in range(3):
            self.api(f"document?collection=_default._default&id=live-{number}", "PUT", {"n": number})
        before = self.text(".card .small")
        self.browser.wait(f"document.querySelectorAll('.card .line').length >= 3 && document.querySelector('.card .small').textContent !== ''")
        assert before
        self.has(".note", "No replicator runs in this process")
        self.picture("live-light")

    def log(self):
        """The log shows lines"""
        self.view("log")
        self.browser.wait("document.querySelectorAll('.log tr').length > 0")
        self.picture("log-light")

    def dialogs(self):
        """The keys are shown, views open by number, and the colours can be chosen"""
        self.view("log")
        self.browser.evaluate("document.activeElement?.blur()")
        self.browser.press("?")
        self.browser.wait("document.querySelector('#help').open")
        self.picture("keys-light")
        self.browser.press("Escape")
        self.browser.wait("!document.querySelector('#help').open")
        self.browser.evaluate("document.activeElement?.blur()")
        self.browser.press("4")
        self.browser.wait("document.querySelector('#views a[aria-current=page]')?.dataset.view === 'indexes'")
        light = self.browser.evaluate("getComputedStyle(document.body).backgroundColor")
        self.browser.click("#theme")
        self.browser.click("#theme")
        self.browser.expect("document.documentElement.dataset.theme", "dark")
        assert self.browser.evaluate("getComputedStyle(document.body).backgroundColor") != light
        self.browser.click("#theme")
        self.browser.expect("document.documentElement.dataset.theme", "auto")

    def dark_and_small(self):
        """Every view fits on small and large screens, in light and in dark colours"""
        routes = ["documents", "grid", "query", "indexes", "conflicts", "live", "log"]
        for width, height, size in ((1280, 800, "wide"), (390, 844, "small"), (820, 1000, "middle")):
            for colours in ("light", "dark"):
                self.browser.screen(width, height, colours)
                for route in routes:
                    self.view(route)
                    time.sleep(0.25)
                    self.check_width(f"{route} at {width}")
                    self.picture(f"{route}-{size}-{colours}")
                self.document("person-002")
                self.browser.wait("document.querySelector('.tree')")
                self.check_width(f"a document at {width}")
                self.picture(f"document-{size}-{colours}")
        self.browser.screen(390, 844)
        self.document("person-002")
        self.press_button("Back", ".detail")
        self.browser.wait("document.querySelector('.list-pane').offsetWidth > 0")
        self.browser.screen(1280, 800)

    def contrast(self):
        """Texts have enough contrast in light and in dark colours"""
        for colours in ("light", "dark"):
            self.browser.screen(1280, 800, colours)
            for route in ("documents", "grid", "query", "indexes", "live", "log"):
                self.view(route)
                time.sleep(0.2)
                self.check_contrast(f"{route}, {colours}")
        self.browser.screen(1280, 800)

    def texts(self):
        """JSON is read and written again without a change, and invalid JSON is refused"""
        good = [
            '{"a":9223372036854775807,"b":-0.0,"c":1e400,"d":[1.10,true,false,null,{}],"":""}', "[]", '"\\u00e9\\ud83d"', "-12.50E+3",
            '{"__proto__":1,"constructor":{"x":[[[]]]}}',
        ]
        for text in good:
            found = self.browser.evaluate(f"import('/page/json.js').then(({{ parse, write }}) => write(parse(write(parse({json.dumps(text)}), 2))))")
            wanted = self.browser.evaluate(f"import('/page/json.js').then(({{ parse, write }}) => write(parse({json.dumps(text)})))")
            assert found == wanted, (found, wanted)
            if "\\u" not in text:
                assert found == text, (found, text)
        for text in ["", "{", "[1,]", '{"a":1,"a":2}', "01", "1.", "+1", "nul", '"\n"', "{'a':1}", "[1] 2", "[" * 300]:
            self.browser.expect(f"import('/page/json.js').then(({{ parse }}) => {{ try {{ parse({json.dumps(text)}); return false; }} catch {{ return true; }} }})")

    def policy(self):
        """The policy forbids scripts from texts and requests to elsewhere"""
        self.browser.expect("(() => { try { document.createElement('div').innerHTML = '<b>x</b>'; return false; } catch { return true; } })()")
        self.browser.expect("fetch('https://example.com/').then(() => false, () => true)")
        self.browser.provoked |= {"example.com", "TrustedHTML", "require-trusted-types-for"}

    def read_only(self):
        """Without the right to write, values are shown and nothing can be changed"""
        self.browser.screen(1280, 800)
        self.browser.open(self.url)
        self.browser.wait("document.documentElement.dataset.ready")
        self.has("#mode", "read-only")
        self.document("person-001")
        self.browser.wait("document.querySelector('.tree')")
        shown = self.text(".tree")
        for part in ("Person 1", "9007199254740993", "false", "null", "Kathmandu"):
            assert part in shown, shown
        self.browser.expect("[...document.querySelectorAll('.detail button, .list-pane button')].filter((one) => /Save|Delete|New|Add/.test(one.textContent) && one.offsetWidth > 0).length", 0)
        self.browser.expect("document.querySelectorAll('.tree input, .tree select, .tree textarea').length", 0)
        self.picture("read-only-light")
        self.press_button("Blobs", ".detail")
        self.has(".detail .empty-title", "No blobs")
        self.browser.expect("document.querySelector('.upload')", None)
        for route in ("grid", "query", "indexes", "conflicts", "live", "log"):
            self.view(route)
        assert "error" in self.api("document?collection=_default._default&id=x", "PUT", {})
        self.browser.wait("true")
        self.browser.provoked.add("status of 403")

    def large(self):
        """The first documents of a very large database are shown within a second"""
        self.browser.screen(1280, 800)
        # A first page, so that the time is not that of starting the browser.
        self.browser.open("about:blank")
        start = time.monotonic()
        self.browser.open(self.url)
        self.browser.wait("document.querySelectorAll('.entry').length > 5")
        seconds = time.monotonic() - start
        print(f"  first documents after {seconds:.3f} s")
        assert seconds < 1, f"the first documents are shown after {seconds:.3f} s"
        start = time.monotonic()
        self.browser.evaluate("document.querySelector('.list').focus()")
        for _ in range(20):
            self.browser.press("PageDown")
        self.browser.wait("Number(document.querySelector('.entry[aria-selected=true]')?.getAttribute('aria-posinset')) > 150")
        print(f"  20 pages down after {time.monotonic() - start:.3f} s")
        self.browser.wait("!document.querySelector('.side .item span').textContent.includes('…')", 60)
        print(f"  counted: {self.text('.side .item span')}")
        self.picture("large-light")

    def work(self):
        """A very large database opens with few requests, which read few of its documents and count none"""
        self.browser.screen(1280, 800)
        self.browser.open(self.url)
        self.browser.wait("document.querySelectorAll('.entry').length > 5")
        self.browser.wait("document.querySelector('.schema .path')")
        self.browser.evaluate("document.querySelector('.list').focus()")
        for _ in range(20):
            self.browser.press("PageDown")
        self.browser.wait("Number(document.querySelector('.entry[aria-selected=true]')?.getAttribute('aria-posinset')) > 150")
        calls = self.browser.evaluate(
            "performance.getEntriesByType('resource').map((one) => new URL(one.name)).filter((one) => one.pathname.includes('/api/'))"
            ".map((one) => [one.pathname.split('/').pop(), one.searchParams.get('limit')])"
        )
        assert len(calls) <= 8, calls
        limits = [int(limit) for name, limit in calls if name == "documents"]
        assert limits and sum(limits) <= 700, limits
        print(f"  {len(calls)} requests for at most {sum(limits)} documents")


def run(browser, checks, pictures):
    """Runs checks, and returns how many have failed."""
    failures = 0
    for check in checks:
        try:
            check()
            problems = browser.unexpected_problems()
            if problems:
                raise Failure("; ".join(problems))
            print(f"ok      {check.__doc__}", flush=True)
        except (Failure, AssertionError) as failure:
            failures += 1
            browser.problems = []
            print(f"FAILED  {check.__doc__}: {failure}", flush=True)
            if pictures:
                browser.picture(os.path.join(pictures, f"failed-{check.__name__}.png"))
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--pictures")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--work", action="store_true")
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    if executable() is None:
        print("Chromium is not installed")
        return 77
    if arguments.pictures:
        os.makedirs(arguments.pictures, exist_ok=True)
    browser = Browser()
    walk = Walk(browser, arguments.url, arguments.pictures)
    checks = [walk.large] if arguments.large else [
        walk.link, walk.documents, walk.exact, walk.keyboard, walk.visible_focus, walk.conflict_message, walk.json_mode, walk.create_and_delete, walk.revisions,
        walk.blobs, walk.upload, walk.grid, walk.export, walk.labels, walk.hostile, walk.follow, walk.query, walk.plan, walk.cancel, walk.indexes, walk.conflicts, walk.live, walk.log, walk.dialogs,
        walk.texts, walk.dark_and_small, walk.contrast, walk.policy,
    ]
    if arguments.read_only:
        checks = [walk.read_only]
    if arguments.work:
        checks = [walk.work]
    if arguments.only:
        checks = [walk.link] + [check for check in checks if check.__name__ in arguments.only.split(",")]
    failures = run(browser, checks, arguments.pictures)
    browser.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
