"""`python3 -m controller`: sets itself up on first use, then hands over to the commands."""

from __future__ import annotations

import sys

from controller.install.bootstrap import start

if __name__ == "__main__":
    sys.exit(start(sys.argv[1:]))
