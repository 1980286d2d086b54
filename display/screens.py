"""Which screens there are, asked of the X server itself (of pyglet where there is no X).

Opens its own short connection, so it can be asked before and without any window, and again and again.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from display.errors import DisplayError, NoSuchScreenError

USUAL_RATE_HZ = 60.0


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen: place and size in px of the desktop, pictures a second of its mode."""

    index: int
    name: str
    x: int
    y: int
    width: int
    height: int
    refresh_rate: float = USUAL_RATE_HZ
    primary: bool = False

    def __str__(self) -> str:
        return f"{self.index}: {self.name} {self.width}x{self.height} at {self.x},{self.y}"


def display_available() -> str | None:
    """None when a window can be opened, else the reason in words. Tried, not guessed."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        with _connection() as (xlib, display):
            numbers = [ctypes.c_int() for _ in range(3)]
            if not xlib.XQueryExtension(display, b"GLX", *map(ctypes.byref, numbers)):
                return "the X server has no OpenGL (GLX); install its libgl1-mesa-dri"
    except DisplayError as fault:
        return str(fault)
    return None


def screens() -> list[Screen]:
    """All screens, in the server's order.

    Raises DisplayError with the reason when no display answers; `list_screens` does not raise.
    """
    if not sys.platform.startswith("linux"):
        return _pyglet_screens()
    with _connection() as (xlib, display):
        return _randr_screens(xlib, display) or _xinerama_screens(display) or [_whole_desktop(xlib, display)]


def list_screens() -> tuple[list[Screen], str | None]:
    """For `devices`: (the screens, None), or ([], the reason in words)."""
    try:
        return screens(), None
    except DisplayError as fault:
        return [], str(fault)


def choose_screen(wanted: str, available: list[Screen]) -> Screen:
    """The screen of that name (any case) or number; for "" the primary one, else the first.

    Raises NoSuchScreenError, which lists the screens there are.
    """
    if not wanted:
        return next((screen for screen in available if screen.primary), available[0])
    for screen in available:
        if screen.name == wanted:
            return screen
    for screen in available:
        if screen.name.lower() == wanted.lower() or str(screen.index) == wanted:
            return screen
    there = "; ".join(str(screen) for screen in available)
    raise NoSuchScreenError(f"no screen {wanted!r} here; set display.screen to one of: {there}")


@contextmanager
def _connection() -> Iterator[tuple[Any, Any]]:
    try:
        from pyglet.libs.x11 import xlib
    except ImportError as fault:
        raise DisplayError(f"no X library ({fault}); install libx11-6") from fault
    display = xlib.XOpenDisplay(None)
    if not display:
        name = os.environ.get("DISPLAY", "")
        reason = f"no X server answers at DISPLAY={name}" if name else "DISPLAY is not set: no X server is known"
        raise DisplayError(f"{reason}; start one, or use --headless")
    try:
        yield xlib, display
    finally:
        xlib.XCloseDisplay(display)


def _randr_screens(xlib: Any, display: Any) -> list[Screen]:
    try:
        from pyglet.libs.x11 import xrandr
    except ImportError:
        return []
    root = xlib.XDefaultRootWindow(display)
    resources = xrandr.XRRGetScreenResourcesCurrent(display, root)
    if not resources:
        return []
    primary = xrandr.XRRGetOutputPrimary(display, root)
    found: list[Screen] = []
    for number in range(resources.contents.noutput):
        screen = _randr_screen(xrandr, display, resources, number, len(found), primary)
        if screen is not None:
            found.append(screen)
    xrandr.XRRFreeScreenResources(resources)
    return found


def _randr_screen(
    xrandr: Any, display: Any, resources: Any, number: int, index: int, primary: int
) -> Screen | None:
    output_id = resources.contents.outputs[number]
    output = xrandr.XRRGetOutputInfo(display, resources, output_id)
    if not output:
        return None
    name = ctypes.string_at(output.contents.name, output.contents.nameLen).decode(errors="replace")
    crtc = xrandr.XRRGetCrtcInfo(display, resources, output.contents.crtc) if output.contents.crtc else None
    xrandr.XRRFreeOutputInfo(output)
    if not crtc:
        return None
    area = crtc.contents
    screen = Screen(
        index=index,
        name=name,
        x=area.x,
        y=area.y,
        width=area.width,
        height=area.height,
        refresh_rate=_mode_rate(resources.contents, area.mode),
        primary=output_id == primary,
    )
    xrandr.XRRFreeCrtcInfo(crtc)
    return screen


def _mode_rate(resources: Any, mode_id: int) -> float:
    for number in range(resources.nmode):
        mode = resources.modes[number]
        total = mode.hTotal * mode.vTotal
        if mode.id == mode_id and total and mode.dotClock:
            return float(mode.dotClock / total)
    return USUAL_RATE_HZ


def _xinerama_screens(display: Any) -> list[Screen]:
    try:
        from pyglet.libs.x11 import xinerama, xlib
    except ImportError:
        return []
    if not xinerama.XineramaIsActive(display):
        return []
    count = ctypes.c_int()
    areas = xinerama.XineramaQueryScreens(display, ctypes.byref(count))
    found = [
        Screen(i, f"screen{i}", areas[i].x_org, areas[i].y_org, areas[i].width, areas[i].height)
        for i in range(count.value)
    ]
    xlib.XFree(areas)
    return found


def _whole_desktop(xlib: Any, display: Any) -> Screen:
    number = xlib.XDefaultScreen(display)
    return Screen(0, "screen0", 0, 0, xlib.XDisplayWidth(display, number), xlib.XDisplayHeight(display, number))


def _pyglet_screens() -> list[Screen]:
    from pyglet.display import get_display

    found = []
    for index, screen in enumerate(get_display().get_screens()):
        rate = getattr(screen.get_mode(), "rate", None) or USUAL_RATE_HZ
        name = screen.get_monitor_name()
        found.append(
            Screen(index, str(name), screen.x, screen.y, screen.width, screen.height, float(rate))
        )
    return found
