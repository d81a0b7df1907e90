#!/usr/bin/env python3
"""Makes the picture of the inspector in the README from the sample airports, in headless Chromium.

    inspector_picture.py CBLITE PICTURE.png
"""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
root = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(root / "Tests/Server/InspectorTests/Page"))
from browser import Browser  # noqa: E402


def main():
    cblite, picture = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "travel.cblite2"
        subprocess.run([cblite, "import", "--create", database, root / "Samples/travel/airports.jsonl"], check=True, stdout=subprocess.DEVNULL)
        # The browser first: it takes the descriptors 3 and 4.
        browser = Browser()
        inspector = subprocess.Popen([cblite, "inspect", database], stdout=subprocess.PIPE, text=True)
        try:
            browser.screen(1080, 620)
            browser.open(inspector.stdout.readline().strip())
            browser.wait("document.querySelectorAll('.entry').length > 5")
            browser.evaluate("location.hash = '#documents/_default._default/airport_LPB'")
            browser.wait("document.querySelector('.detail h2')?.textContent === 'airport_LPB' && document.querySelector('.tree')")
            browser.wait("!document.querySelector('.side .item span').textContent.includes('…') && document.querySelector('.schema .path')")
            # The path is that of the temporary folder.
            browser.evaluate("document.querySelector('#database-path').textContent = 'travel.cblite2'")
            browser.picture(picture)
        finally:
            browser.close()
            inspector.terminate()
            inspector.wait()


if __name__ == "__main__":
    main()
