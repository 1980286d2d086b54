"""An X server that ends while a connection to it is being made: the code says that the screen was lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# One connection is watched; a second one, whose end nobody can be told of yet, meets the loss.
PROBE = """
import sys
from display.x_connection import XConnection
watched = XConnection()
being_made = watched.xlib.XOpenDisplay(None)
print("open", flush=True)
sys.stdin.readline()
watched.xlib.XSync(being_made, False)
print("still here", flush=True)
"""


def test_a_server_that_ends_while_a_connection_is_being_made_is_a_lost_screen(
    x_server: Callable[..., Any], checkout: Path
) -> None:
    server, name = x_server("320x200x24")
    probe = subprocess.Popen(
        [sys.executable, "-c", PROBE],
        cwd=checkout,
        env={**os.environ, "DISPLAY": name, "PYTHONPATH": str(checkout)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert probe.stdout is not None
    assert probe.stdout.readline() == "open\n"
    server.send_signal(signal.SIGKILL)
    server.wait(30)
    out, _ = probe.communicate("go on\n", timeout=60)
    assert (out, probe.returncode) == ("", 3)
