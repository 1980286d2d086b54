"""Not a test: a small X client that asks a window to close, looks at or takes the pointer, sets monitors."""

from __future__ import annotations

import ctypes
import subprocess
import sys

from pyglet.libs.x11 import xlib, xrandr

from display.monitors import Monitor


class CursorImage(ctypes.Structure):
    """XFixesCursorImage (Xfixes.h)."""

    _fields_ = [
        ("x", ctypes.c_short),
        ("y", ctypes.c_short),
        ("width", ctypes.c_ushort),
        ("height", ctypes.c_ushort),
        ("xhot", ctypes.c_ushort),
        ("yhot", ctypes.c_ushort),
        ("cursor_serial", ctypes.c_ulong),
        ("pixels", ctypes.POINTER(ctypes.c_ulong)),
    ]


def pointer_is_visible(display: object) -> bool:
    """True when the cursor of this moment has a pixel that is not wholly transparent."""
    fixes = ctypes.CDLL("libXfixes.so.3")
    fixes.XFixesGetCursorImage.restype = ctypes.POINTER(CursorImage)
    fixes.XFixesGetCursorImage.argtypes = [ctypes.c_void_p]
    event_base, error_base = ctypes.c_int(), ctypes.c_int()
    connection = ctypes.cast(display, ctypes.c_void_p)  # type: ignore[arg-type]
    fixes.XFixesQueryExtension(connection, ctypes.byref(event_base), ctypes.byref(error_base))
    image = fixes.XFixesGetCursorImage(connection).contents
    return any(image.pixels[i] & 0xFFFFFFFF for i in range(image.width * image.height))


def ask_to_close(display: object, window: int) -> None:
    """Send WM_DELETE_WINDOW, as a window manager does for Alt+F4."""
    event = xlib.XEvent()
    event.xclient.type = xlib.ClientMessage
    event.xclient.window = window
    event.xclient.message_type = xlib.XInternAtom(display, b"WM_PROTOCOLS", False)
    event.xclient.format = 32
    event.xclient.data.l[0] = xlib.XInternAtom(display, b"WM_DELETE_WINDOW", False)
    xlib.XSendEvent(display, window, False, 0, ctypes.byref(event))
    xlib.XSync(display, False)


def take_release(display: object) -> None:
    """Let go of the left button while this client has the pointer to itself, as a pop-up would."""
    root = xlib.XDefaultRootWindow(display)
    mask = xlib.ButtonReleaseMask
    grabbed = xlib.XGrabPointer(display, root, False, mask, xlib.GrabModeAsync, xlib.GrabModeAsync, 0, 0, 0)
    if grabbed != 0:
        sys.exit(f"the pointer cannot be taken: {grabbed}")
    subprocess.run(["xdotool", "mouseup", "1"], check=True)
    xlib.XUngrabPointer(display, 0)
    xlib.XSync(display, False)


def set_monitor(display: object, name: str, x: int, y: int, width: int, height: int) -> None:
    """Define a virtual monitor (RandR 1.5), the first one on the server's only output."""
    root = xlib.XDefaultRootWindow(display)
    resources = xrandr.XRRGetScreenResourcesCurrent(display, root)
    atom = xlib.XInternAtom(display, name.encode(), False)
    first = x == y == 0
    monitor = Monitor(
        atom, False, False, int(first), x, y, width, height, 100, 100, resources.contents.outputs
    )
    set_it = xrandr.lib.XRRSetMonitor
    set_it.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p]
    set_it(ctypes.cast(display, ctypes.c_void_p), root, ctypes.byref(monitor))  # type: ignore[arg-type]
    xlib.XSync(display, False)


if __name__ == "__main__":
    opened = xlib.XOpenDisplay(None)
    if sys.argv[1] == "close":
        ask_to_close(opened, int(sys.argv[2]))
    elif sys.argv[1] == "release":
        take_release(opened)
    elif sys.argv[1] == "monitor":
        set_monitor(opened, sys.argv[2], *map(int, sys.argv[3:]))
    else:
        print("visible" if pointer_is_visible(opened) else "hidden")
