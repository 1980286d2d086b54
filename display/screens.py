"""Listing the screens and choosing one: by name, by number or by position.

Asks the X server itself (pyglet where there is no X) over a short connection of its own, so it can be
asked before and without any window, and again and again.
"""

from __future__ import annotations

import ctypes
import re
import sys

from display.errors import DisplayError, NoSuchScreenError
from display.monitors import USUAL_RATE_HZ, Screen, Sight, look, whole_desktop
from display.x_connection import XConnection

__all__ = [
    "POSITIONS",
    "Screen",
    "choose_screen",
    "display_available",
    "first_screen",
    "list_screens",
    "screens",
    "see",
    "start_screen",
]

POSITIONS = {
    "left": lambda screen: screen.x,
    "right": lambda screen: -(screen.x + screen.width),
    "top": lambda screen: screen.y,
    "bottom": lambda screen: -(screen.y + screen.height),
}
_POINT = re.compile(r"\s*(-?\d+)\s*,\s*(-?\d+)\s*")


def display_available() -> str | None:
    """None when a window can be opened, else the reason in words. Tried, not guessed."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        with XConnection() as x:
            numbers = [ctypes.c_int() for _ in range(3)]
            if not x.xlib.XQueryExtension(x.display, b"GLX", *map(ctypes.byref, numbers)):
                return "the X server has no OpenGL (GLX); install its libgl1-mesa-dri"
    except DisplayError as fault:
        return str(fault)
    return None


def see() -> Sight:
    """One look at the screens; the whole desktop stands in where no output is on.

    Raises DisplayError with the reason when no display answers.
    """
    if not sys.platform.startswith("linux"):
        return Sight(tuple(_pyglet_screens()))
    with XConnection() as x:
        sight = look(x)
        return sight if sight.screens else Sight((whole_desktop(x),), sight.outputs)


def screens() -> list[Screen]:
    """All screens, in the server's order. Raises DisplayError; `list_screens` does not raise."""
    return list(see().screens)


def list_screens() -> tuple[list[Screen], str | None]:
    """For `devices`: (the screens, None), or ([], the reason in words)."""
    try:
        return screens(), None
    except DisplayError as fault:
        return [], str(fault)


def choose_screen(wanted: str, available: list[Screen] | tuple[Screen, ...]) -> Screen:
    """The screen that `wanted` means; for "" the primary one, else the first.

    In this order: its name, its name in any case, its number, the outermost one at "left", "right",
    "top" or "bottom", the one at a point of the desktop in px ("1280,0").
    Raises NoSuchScreenError, which lists the screens there are.
    """
    if not wanted:
        return first_screen(available)
    exact = [screen for screen in available if screen.name == wanted]
    similar = [screen for screen in available if screen.name.lower() == wanted.lower()]
    numbered = [screen for screen in available if str(screen.index) == wanted]
    for found in (exact, similar, numbered, _at_position(wanted, available)):
        if found:
            return found[0]
    there = "; ".join(str(screen) for screen in available)
    raise NoSuchScreenError(
        f"no screen {wanted!r} here; set display.screen to one of: {there} (or to a position: "
        f"{', '.join(POSITIONS)}, or a point like {available[-1].x},{available[-1].y})"
    )


def start_screen(wanted: str, sight: Sight) -> tuple[Screen, bool]:
    """(the screen to start on, whether the wanted one is still to come).

    An output that the server knows but that is off is waited for on the first screen. Raises
    NoSuchScreenError for a name that the server does not know at all.
    """
    try:
        return choose_screen(wanted, sight.screens), False
    except NoSuchScreenError:
        if wanted.lower() not in (name.lower() for name in sight.outputs):
            raise
        return first_screen(sight.screens), True


def first_screen(available: list[Screen] | tuple[Screen, ...]) -> Screen:
    """The primary screen, else the first."""
    return next((screen for screen in available if screen.primary), available[0])


def _at_position(wanted: str, available: list[Screen] | tuple[Screen, ...]) -> list[Screen]:
    outermost = POSITIONS.get(wanted.lower())
    if outermost is not None:
        return sorted(available, key=outermost)
    point = _POINT.fullmatch(wanted)
    if point is None:
        return []
    x, y = map(int, point.groups())
    around = [s for s in available if s.x <= x < s.x + s.width and s.y <= y < s.y + s.height]
    return sorted(around, key=lambda screen: (screen.x, screen.y) != (x, y))


def _pyglet_screens() -> list[Screen]:
    from pyglet.display import get_display

    found = []
    for index, screen in enumerate(get_display().get_screens()):
        rate = getattr(screen.get_mode(), "rate", None) or USUAL_RATE_HZ
        name = screen.get_monitor_name()
        found.append(Screen(index, str(name), screen.x, screen.y, screen.width, screen.height, float(rate)))
    return found
