"""Not a test: an X client that switches the server's output, sets monitors and power, and covers windows."""

from __future__ import annotations

import ctypes
import sys

from pyglet.libs.x11 import xlib, xrandr

from display.monitors import Monitor, whole_desktop
from display.power import Power
from display.x_connection import XConnection

CURRENT_TIME, ROTATE_0, REVERT_TO_NONE = 0, 1, 0


def set_mode(x: XConnection, width: int, height: int, rate_hz: int) -> None:
    """Give the first output a new mode of that size and rate and the desktop its size."""
    resources, output = first_output(x)
    wanted = xrandr.XRRModeInfo(
        width=width, height=height, dotClock=width * height * rate_hz, hTotal=width, vTotal=height
    )
    wanted.name = f"{width}x{height}@{rate_hz}".encode()
    wanted.nameLength = len(wanted.name)
    create = xrandr.lib.XRRCreateMode
    create.argtypes, create.restype = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p], ctypes.c_ulong
    mode = known_mode(x, wanted.name) or create(x.pointer, x.root, ctypes.byref(wanted))
    xrandr.lib.XRRAddOutputMode.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
    xrandr.lib.XRRAddOutputMode(x.pointer, output, mode)
    resources, output = first_output(x)
    # The desktop must hold both the old and the new mode in between.
    now = whole_desktop(x)
    set_desktop(x, max(width, now.width), max(height, now.height))
    set_crtc(x, resources, mode, output)
    set_desktop(x, width, height)


def known_mode(x: XConnection, name: bytes) -> int:
    """The number of the mode of that name, which the server takes once only; 0 when there is none."""
    resources = first_output(x)[0].contents  # type: ignore[attr-defined]
    return next((one.id for one in resources.modes[: resources.nmode] if one.name == name), 0)


def set_desktop(x: XConnection, width: int, height: int) -> None:
    set_size = xrandr.lib.XRRSetScreenSize
    set_size.argtypes = [ctypes.c_void_p, ctypes.c_ulong, *[ctypes.c_int] * 4]
    set_size(x.pointer, x.root, width, height, width, height)


def set_crtc(x: XConnection, resources: object, mode: int, output: int | None) -> None:
    """Show the mode on the output, or with None switch it off."""
    outputs = (ctypes.c_ulong * 1)(output or 0)
    configure = xrandr.lib.XRRSetCrtcConfig
    configure.argtypes = [
        *[ctypes.c_void_p] * 2,
        *[ctypes.c_ulong] * 2,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_ulong,
        ctypes.c_ushort,
        ctypes.c_void_p,
        ctypes.c_int,
    ]
    crtc = resources.contents.crtcs[0]  # type: ignore[attr-defined]
    place = (0, 0)
    configure(x.pointer, resources, crtc, CURRENT_TIME, *place, mode, ROTATE_0, outputs, int(bool(output)))


def first_output(x: XConnection) -> tuple[object, int]:
    resources = xrandr.XRRGetScreenResources(x.display, x.root)
    return resources, resources.contents.outputs[0]


def set_monitor(x: XConnection, name: str, *area: int) -> None:
    """Define, or move, a virtual monitor without an output."""
    atom = xlib.XInternAtom(x.display, name.encode(), False)
    monitor = Monitor(atom, False, False, 0, *area, 100, 100, None)
    xrandr.lib.XRRSetMonitor.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p]
    # To others it has moved, though the server can only remove and define it.
    xlib.XGrabServer(x.display)
    remove_monitor(x, name)
    xrandr.lib.XRRSetMonitor(x.pointer, x.root, ctypes.byref(monitor))
    xlib.XUngrabServer(x.display)


def remove_monitor(x: XConnection, name: str) -> None:
    xrandr.lib.XRRDeleteMonitor.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
    xrandr.lib.XRRDeleteMonitor(x.pointer, x.root, xlib.XInternAtom(x.display, name.encode(), False))


def cover(x: XConnection, *area: int) -> None:
    """Lie over everything with the keyboard, as a pop-up does, until the input ends."""
    window = xlib.XCreateSimpleWindow(x.display, x.root, *area, 0, 0, 0xFFFFFF)
    attributes = xlib.XSetWindowAttributes(override_redirect=True)
    xlib.XChangeWindowAttributes(x.display, window, xlib.CWOverrideRedirect, ctypes.byref(attributes))
    xlib.XMapRaised(x.display, window)
    x.finish()
    xlib.XSetInputFocus(x.display, window, REVERT_TO_NONE, CURRENT_TIME)
    x.finish()
    print("there", flush=True)
    sys.stdin.read()


def power(x: XConnection) -> None:
    state = Power(x).state()
    print(f"{state.saver_s} {state.dpms}")


def main() -> None:
    command, *words = sys.argv[1:]
    with XConnection() as x:
        if command == "mode":
            set_mode(x, *map(int, words))
        elif command == "off":
            set_crtc(x, first_output(x)[0], 0, None)
        elif command == "monitor":
            set_monitor(x, words[0], *map(int, words[1:]))
        elif command == "gone":
            remove_monitor(x, words[0])
        elif command == "cover":
            cover(x, *map(int, words))
        elif command == "saver":
            xlib.XSetScreenSaver(x.display, int(words[0]), 600, 1, 1)
        elif command == "resources":
            text = words[0].encode()
            data = ctypes.cast(ctypes.create_string_buffer(text), ctypes.POINTER(ctypes.c_ubyte))
            xlib.XChangeProperty(x.display, x.root, 23, 31, 8, 0, data, len(text))
        elif command == "saving":
            ctypes.CDLL("libXext.so.6").DPMSEnable(x.pointer)
        else:
            power(x)
        x.finish()


if __name__ == "__main__":
    main()
