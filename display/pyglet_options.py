"""pyglet's options: they count only if set before its window and GL modules are imported."""

from __future__ import annotations

import sys

import pyglet

from display.errors import DisplayError


def prepare_pyglet(headless: bool) -> None:
    """Set the options for a window or for headless pictures; a process can have one of the two only.

    Raises DisplayError when pyglet's window module was imported for the other kind.
    """
    if "pyglet.window" in sys.modules or "pyglet.display" in sys.modules:
        if bool(pyglet.options["headless"]) != headless:
            kinds = ("headless", "a window") if headless else ("a window", "headless")
            raise DisplayError(
                f"asked for {kinds[0]}, but this process already draws {kinds[1]}; start another"
            )
        return
    pyglet.options["headless"] = headless
    pyglet.options["shadow_window"] = False
    # One glGetError a picture (in the renderer) instead of one a call.
    pyglet.options["debug_gl"] = False
    pyglet.options["vsync"] = None
