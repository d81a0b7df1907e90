#!/usr/bin/env python3
"""Uses the inspector of a hub in headless Chromium: chooses databases, changes a document, and looks at the counters of replication.

usage: drive_hub.py URL [--pictures DIRECTORY]

URL is the link that `cblite serve --hub DIR --admin-port N` has printed. The hub must have the sample database of InspectorTests as `sample`,
and another one as `other`, and a client that replicates with `sample`. Prints a line for each check. Exits with 1 if one fails, with 77 without
Chromium.
"""

import argparse
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, executable  # noqa: E402
from drive import Walk, run  # noqa: E402

SIZES = ((1280, 800, "wide"), (390, 844, "small"))


class HubWalk(Walk):
    def page(self, condition=""):
        self.browser.wait("document.documentElement.dataset.ready" + condition)

    def looks(self, name):
        """Checks the colours and the width of what is shown."""
        for width, height, size in SIZES:
            for colours in ("light", "dark"):
                self.browser.screen(width, height, colours)
                time.sleep(0.2)
                self.check_width(f"{name} at {width}")
                self.check_contrast(f"{name} at {width}, {colours}")
                self.picture(f"{name}-{size}-{colours}")
        self.browser.screen(1280, 800)

    def no_token(self):
        """Without the token, neither the list nor a database is shown, and calls are refused"""
        self.browser.screen(1280, 800)
        base = self.url.split("?")[0]
        for url in (base, base + "sample/", base + "?token=" + "0" * 64):
            self.browser.open(url)
            self.browser.wait(f"location.href === {json.dumps(url)} && document.title === 'No access'")
            self.browser.expect("document.querySelectorAll('script, form').length", 0)
            # The page has its colours, although nothing else can be read.
            self.browser.expect("getComputedStyle(document.querySelector('main')).borderTopWidth", "3px")
        self.looks("no-access")
        for path in ("sample/api/database", "sample/page/app.js", "api/databases"):
            self.browser.expect(f"fetch({json.dumps(base + path)}).then((answer) => answer.status)", 401)
        self.browser.provoked |= {"status of 401", "favicon"}

    def choose(self):
        """The link leads to the list of databases, and from there to one of them"""
        self.browser.open(self.url)
        self.page(" && document.querySelectorAll('[aria-label=Databases] tbody tr').length === 2")
        self.browser.expect("location.href.includes('token')", False)
        self.has("td a", "other")
        self.looks("databases")
        self.browser.click("td a[href='sample/']")
        self.page(" && document.querySelectorAll('.entry').length > 5")
        self.browser.expect("document.querySelector('#databases').value", "sample")
        self.browser.expect("location.pathname", "/_inspect/sample/")
        self.looks("hub-documents")

    def users(self):
        """The list of databases shows users, roles and channels, also those whose names look like HTML, and follows their changes"""
        self.browser.evaluate("location.href = '/_inspect/'")
        self.page(" && document.querySelector('[aria-label=Users] tbody')")
        self.has("[aria-label=Users] td", "anna")
        self.has("[aria-label=Users] td", "<b>eve</b>")
        self.has("[aria-label=Users] .badge.bad", "disabled")
        self.has("[aria-label=Roles] td", "staff")
        rows = self.browser.evaluate("[...document.querySelectorAll('[aria-label=Channels] tbody tr')].map((one) => [...one.children].map((cell) => cell.textContent))")
        assert rows == [["* all documents", "anna", "none"], ["news2", "<b>eve</b>", "none"], ["news10", "none", "staff"]], rows
        self.browser.expect("document.body.textContent.includes('salt')", False)
        self.looks("hub-users")
        self.browser.evaluate("location.href = '/_inspect/sample/'")
        self.page(" && document.querySelectorAll('.entry').length > 5")

    def edit(self):
        """A document is changed and saved"""
        self.document("person-001")
        self.browser.wait("document.querySelector('.detail [aria-label=\"Value of name\"]')")
        self.browser.evaluate("document.querySelector('.detail [aria-label=\"Value of name\"]').focus()")
        self.browser.press("End")
        self.browser.type(" of the hub")
        self.press_button("Save", ".detail")
        self.message("Saved")
        body = json.loads(self.api("document?collection=_default._default&id=person-001")["body"])
        assert body["name"] == "Person 1 of the hub", body

    def replication(self):
        """The counters of replication show the client and what it was sent"""
        self.view("live")
        self.has("[aria-label='Connected clients'] .big", "1")
        self.browser.wait("document.querySelectorAll('[aria-label=Replication] .card .line').length === 4")
        sent = self.api("counters")["replication"]
        assert sent["clients"] == 1 and sent["sent"] >= 125 and sent["failures"] == 0, sent
        self.has("[aria-label='Sent per second']", "documents sent since")
        self.looks("hub-live")

    def switch(self):
        """The choice leads to another database with the same view, asks before changes are lost, and leads back to the list"""
        self.choose_database("other")
        self.page(" && location.pathname === '/_inspect/other/'")
        self.browser.expect("location.hash", "#live")
        self.has("[aria-label='Connected clients'] .big", "0")
        self.choose_database("sample")
        self.page(" && location.pathname === '/_inspect/sample/'")
        self.document("person-002")
        self.browser.wait("document.querySelector('.detail [aria-label=\"Value of name\"]')")
        self.browser.evaluate("document.querySelector('.detail [aria-label=\"Value of name\"]').focus()")
        self.browser.type("!")
        self.choose_database("other")
        self.browser.wait("document.querySelector('#question').open")
        self.press_button("Cancel", "#question")
        self.browser.wait("!document.querySelector('#question').open")
        self.browser.expect("[location.pathname, document.querySelector('#databases').value]", ["/_inspect/sample/", "sample"])
        self.press_button("Discard changes", ".detail")
        self.browser.wait("!document.querySelector('.detail [aria-label=\"Value of name\"]').value.endsWith('!')")
        self.choose_database("")
        self.page(" && location.pathname === '/_inspect/'")

    def choose_database(self, name):
        self.browser.evaluate(
            "(() => { const one = document.querySelector('#databases');"
            f" one.value = {json.dumps(name)}; one.dispatchEvent(new Event('change')); }})()"
        )

    def rest(self):
        """The page cannot use the port's requests without a password, also not as scripts"""
        self.browser.expect("fetch('/sample/person-001').then((answer) => answer.status)", 403)
        self.browser.expect("import('/sample/person-001').then(() => 'run', () => 'refused')", "refused")
        self.browser.provoked.add("status of 403")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--pictures")
    arguments = parser.parse_args()
    if executable() is None:
        print("Chromium is not installed")
        return 77
    if arguments.pictures:
        os.makedirs(arguments.pictures, exist_ok=True)
    browser = Browser()
    walk = HubWalk(browser, arguments.url, arguments.pictures)
    checks = [walk.no_token, walk.choose, walk.users, walk.edit, walk.replication, walk.switch, walk.rest]
    failures = run(browser, checks, arguments.pictures)
    browser.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
