"""A connection of our own to the X server, beside the window's: for one question, or for a thread."""

from __future__ import annotations

import ctypes
import os
from types import TracebackType
from typing import Any

from display.errors import DisplayError
from display.server_loss import call_when_server_ends, forget, pass_over_request_errors


class XConnection:
    """`display` and `root` for Xlib calls; `ended` turns True when the server is gone.

    To be used from one thread. Raises DisplayError with the reason when no server answers.
    """

    def __init__(self) -> None:
        try:
            from pyglet.libs.x11 import xlib
        except ImportError as fault:
            raise DisplayError(f"no X library ({fault}); install libx11-6") from fault
        # Only the first call in a process counts, and libX11 1.8 makes it by itself.
        xlib.XInitThreads()
        self.xlib: Any = xlib
        self.ended = False
        self.display: Any = xlib.XOpenDisplay(None)
        if not self.display:
            raise DisplayError(f"{_no_answer()}; start one, or use --headless")
        call_when_server_ends(self.display, self._end)
        pass_over_request_errors()
        self.root: int = xlib.XDefaultRootWindow(self.display)

    @property
    def pointer(self) -> ctypes.c_void_p:
        """The connection for libraries that pyglet does not bind."""
        return ctypes.cast(self.display, ctypes.c_void_p)

    def finish(self) -> None:
        """Wait until the server has done everything asked so far."""
        if not self.ended:
            self.xlib.XSync(self.display, False)

    def close(self) -> None:
        """Close it; a broken connection is left alone, since any call on it crashes."""
        if not self.ended:
            self.ended = True
            self.xlib.XCloseDisplay(self.display)
            forget(self.display)

    def __enter__(self) -> XConnection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _end(self) -> None:
        self.ended = True


def _no_answer() -> str:
    name = os.environ.get("DISPLAY", "")
    return f"no X server answers at DISPLAY={name}" if name else "DISPLAY is not set: no X server is known"
