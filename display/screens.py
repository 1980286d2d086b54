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
        return _monitors(xlib, display) or [_whole_desktop(xlib, display)]


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
        reason = (
            f"no X server answers at DISPLAY={name}" if name else "DISPLAY is not set: no X server is known"
        )
        raise DisplayError(f"{reason}; start one, or use --headless")
    try:
        yield xlib, display
    finally:
        xlib.XCloseDisplay(display)


class _Monitor(ctypes.Structure):
    """XRRMonitorInfo (Xrandr.h, RandR 1.5)."""

    _fields_ = [
        ("name", ctypes.c_ulong),
        ("primary", ctypes.c_int),
        ("automatic", ctypes.c_int),
        ("noutput", ctypes.c_int),
        ("x", ctypes.c_int),
        ("y", ctypes.c_int),
        ("width", ctypes.c_int),
        ("height", ctypes.c_int),
        ("width_mm", ctypes.c_int),
        ("height_mm", ctypes.c_int),
        ("outputs", ctypes.POINTER(ctypes.c_ulong)),
    ]


def _monitors(xlib: Any, display: Any) -> list[Screen]:
    """The monitors as RandR 1.5 lists them; [] for servers and libraries without it."""
    try:
        from pyglet.libs.x11 import xrandr
    except ImportError:
        return []
    major, minor = ctypes.c_int(), ctypes.c_int()
    answered = xrandr.XRRQueryVersion(display, ctypes.byref(major), ctypes.byref(minor))
    if not answered or (major.value, minor.value) < (1, 5):
        return []
    root = xlib.XDefaultRootWindow(display)
    library: Any = xrandr.lib
    get_monitors, free_monitors = library.XRRGetMonitors, library.XRRFreeMonitors
    get_monitors.restype = ctypes.POINTER(_Monitor)
    get_monitors.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]
    free_monitors.argtypes = [ctypes.POINTER(_Monitor)]
    count = ctypes.c_int()
    found = get_monitors(ctypes.cast(display, ctypes.c_void_p), root, True, ctypes.byref(count))
    resources = xrandr.XRRGetScreenResourcesCurrent(display, root)
    listed = [_screen(xlib, xrandr, display, resources, i, found[i]) for i in range(max(count.value, 0))]
    xrandr.XRRFreeScreenResources(resources)
    free_monitors(found)
    return listed


def _screen(xlib: Any, xrandr: Any, display: Any, resources: Any, index: int, monitor: _Monitor) -> Screen:
    name = ctypes.string_at(xlib.XGetAtomName(display, monitor.name)).decode(errors="replace")
    rate_hz = USUAL_RATE_HZ
    if monitor.noutput:
        rate_hz = _output_rate(xrandr, display, resources, monitor.outputs[0])
    area = (monitor.x, monitor.y, monitor.width, monitor.height)
    return Screen(index, name, *area, rate_hz, bool(monitor.primary))


def _output_rate(xrandr: Any, display: Any, resources: Any, output_id: int) -> float:
    output = xrandr.XRRGetOutputInfo(display, resources, output_id)
    crtc_id = output.contents.crtc if output else 0
    if output:
        xrandr.XRRFreeOutputInfo(output)
    crtc = xrandr.XRRGetCrtcInfo(display, resources, crtc_id) if crtc_id else None
    if not crtc:
        return USUAL_RATE_HZ
    mode_id = crtc.contents.mode
    xrandr.XRRFreeCrtcInfo(crtc)
    return _mode_rate(resources.contents, mode_id)


def _mode_rate(resources: Any, mode_id: int) -> float:
    for number in range(resources.nmode):
        mode = resources.modes[number]
        total = mode.hTotal * mode.vTotal
        if mode.id == mode_id and total and mode.dotClock:
            return float(mode.dotClock / total)
    return USUAL_RATE_HZ


def _whole_desktop(xlib: Any, display: Any) -> Screen:
    number = xlib.XDefaultScreen(display)
    return Screen(
        0, "screen0", 0, 0, xlib.XDisplayWidth(display, number), xlib.XDisplayHeight(display, number)
    )


def _pyglet_screens() -> list[Screen]:
    from pyglet.display import get_display

    found = []
    for index, screen in enumerate(get_display().get_screens()):
        rate = getattr(screen.get_mode(), "rate", None) or USUAL_RATE_HZ
        name = screen.get_monitor_name()
        found.append(Screen(index, str(name), screen.x, screen.y, screen.width, screen.height, float(rate)))
    return found
