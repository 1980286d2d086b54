"""What the X server says of its screens (RandR 1.5): the monitors that are on, the outputs it has, rates."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from display.x_connection import XConnection

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


@dataclass(frozen=True, slots=True)
class Sight:
    """One look: the screens that are on, in the server's order, and the names of all outputs, on or off."""

    screens: tuple[Screen, ...]
    outputs: tuple[str, ...] = ()


def look(x: XConnection) -> Sight:
    """What there is now. No screens at all while every output is off; servers without RandR 1.5 have one."""
    if not _has_monitors(x):
        return Sight((whole_desktop(x),))
    from pyglet.libs.x11 import xrandr

    resources = xrandr.XRRGetScreenResourcesCurrent(x.display, x.root)
    if not resources:
        return Sight(())
    screens = tuple(_monitors(x, xrandr, resources))
    outputs = tuple(_output_names(x, xrandr, resources))
    xrandr.XRRFreeScreenResources(resources)
    return Sight(screens, outputs)


def whole_desktop(x: XConnection) -> Screen:
    """The whole desktop as one screen."""
    width, height = ctypes.c_uint(), ctypes.c_uint()
    unused = [ctypes.c_ulong(), ctypes.c_int(), ctypes.c_int(), ctypes.c_uint(), ctypes.c_uint()]
    window, left, top, border, depth = map(ctypes.byref, unused)
    x.xlib.XGetGeometry(
        x.display, x.root, window, left, top, ctypes.byref(width), ctypes.byref(height), border, depth
    )
    return Screen(0, "screen0", 0, 0, width.value, height.value)


class Monitor(ctypes.Structure):
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


def _has_monitors(x: XConnection) -> bool:
    try:
        from pyglet.libs.x11 import xrandr
    except ImportError:
        return False
    major, minor = ctypes.c_int(), ctypes.c_int()
    answered = xrandr.XRRQueryVersion(x.display, ctypes.byref(major), ctypes.byref(minor))
    return bool(answered) and (major.value, minor.value) >= (1, 5)


def _monitors(x: XConnection, xrandr: Any, resources: Any) -> Iterator[Screen]:
    library: Any = xrandr.lib
    get_monitors, free_monitors = library.XRRGetMonitors, library.XRRFreeMonitors
    get_monitors.restype = ctypes.POINTER(Monitor)
    get_monitors.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]
    free_monitors.argtypes = [ctypes.POINTER(Monitor)]
    count = ctypes.c_int()
    found = get_monitors(x.pointer, x.root, True, ctypes.byref(count))
    if not found:
        return
    for index in range(max(count.value, 0)):
        yield _screen(x, xrandr, resources, index, found[index])
    free_monitors(found)


def _screen(x: XConnection, xrandr: Any, resources: Any, index: int, monitor: Monitor) -> Screen:
    rate_hz = USUAL_RATE_HZ
    if monitor.noutput:
        rate_hz = _output_rate(x, xrandr, resources, monitor.outputs[0])
    area = (monitor.x, monitor.y, monitor.width, monitor.height)
    return Screen(index, _atom_name(x, monitor.name), *area, rate_hz, bool(monitor.primary))


def _atom_name(x: XConnection, atom: int) -> str:
    get_name = ctypes.CDLL("libX11.so.6").XGetAtomName
    # pyglet's binding hides the address, and the text could not be given back.
    get_name.restype, get_name.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_ulong]
    text = get_name(x.pointer, atom)
    if not text:
        return "unnamed"
    name = ctypes.string_at(text).decode(errors="replace")
    x.xlib.XFree(text)
    return name


def _output_names(x: XConnection, xrandr: Any, resources: Any) -> Iterator[str]:
    for number in range(resources.contents.noutput):
        output = xrandr.XRRGetOutputInfo(x.display, resources, resources.contents.outputs[number])
        if output:
            yield ctypes.string_at(output.contents.name, output.contents.nameLen).decode(errors="replace")
            xrandr.XRRFreeOutputInfo(output)


def _output_rate(x: XConnection, xrandr: Any, resources: Any, output_id: int) -> float:
    output = xrandr.XRRGetOutputInfo(x.display, resources, output_id)
    crtc_id = output.contents.crtc if output else 0
    if output:
        xrandr.XRRFreeOutputInfo(output)
    crtc = xrandr.XRRGetCrtcInfo(x.display, resources, crtc_id) if crtc_id else None
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
