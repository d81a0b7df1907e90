"""Where `script/test` finds what it has built: script/lib/common.sh says what TEST_CONFIGURATION means."""
import os

CONFIGURATION = os.environ.get("TEST_CONFIGURATION") or "debug"


def products(root):
    """Returns the folder with the programs and modules of the project."""
    return root / ".build" / CONFIGURATION
