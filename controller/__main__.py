"""`python3 -m controller`: sets itself up on first use, then hands over to the commands."""

import sys

if sys.version_info < (3, 7):
    # The next file says it better, but these cannot read it.
    sys.exit("baited: Python 3.11 or newer is needed; this is %d.%d. Try python3.11." % sys.version_info[:2])

if __name__ == "__main__":
    try:
        from controller.install.bootstrap import start

        code = start(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)
