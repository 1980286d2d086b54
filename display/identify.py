"""Every screen shows its number and name for some seconds, for whoever sets `display.screen`.

Plain X without OpenGL, so it answers on machines where the show cannot open yet, and over a running show.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from display.covering import area_of
from display.errors import DisplayError
from display.monitors import Screen, look, whole_desktop
from display.pattern_stills import number
from display.picture import Pixels
from display.x_connection import XConnection

SHOWN_S = 5.0
_Z_PIXMAP, _NO_OFFSET, _PAD_BITS = 2, 0, 32


def identify(shown_s: float = SHOWN_S, sleep: Callable[[float], None] = time.sleep) -> list[Screen]:
    """Show on each screen its number, name and size; returns the screens.

    Raises DisplayError where no X server answers, or where it is not X.
    """
    if not sys.platform.startswith("linux"):
        raise DisplayError("screens can be identified under X only; look at the system's display settings")
    with XConnection() as x:
        screens = list(look(x).screens) or [whole_desktop(x)]
        for screen in screens:
            _show(x, screen)
        x.finish()
        # The server paints the windows by itself, and takes them away with the connection.
        sleep(shown_s)
    return screens


def _show(x: XConnection, screen: Screen) -> None:
    image = number((screen.width, screen.height), screen.name, screen.index)
    window = x.xlib.XCreateSimpleWindow(x.display, x.root, *area_of(screen), 0, 0, 0)
    unmanaged = x.xlib.XSetWindowAttributes(override_redirect=True)
    x.xlib.XChangeWindowAttributes(x.display, window, x.xlib.CWOverrideRedirect, ctypes.byref(unmanaged))
    pixmap = _pixmap(x, image)
    x.xlib.XSetWindowBackgroundPixmap(x.display, window, pixmap)
    x.xlib.XFreePixmap(x.display, pixmap)
    x.xlib.XMapRaised(x.display, window)


def _pixmap(x: XConnection, grey: Pixels) -> int:
    """The image on the server, in the colours of its default visual."""
    height, width = grey.shape
    place = x.xlib.XDefaultScreen(x.display)
    depth, visual = x.xlib.XDefaultDepth(x.display, place), x.xlib.XDefaultVisual(x.display, place)
    pixmap: int = x.xlib.XCreatePixmap(x.display, x.root, width, height, depth)
    form = (depth, _Z_PIXMAP, _NO_OFFSET, None, width, height, _PAD_BITS, 0)
    image = x.xlib.XCreateImage(x.display, visual, *form)
    pixels = pixels_of(grey, visual.contents, image.contents)
    image.contents.data = ctypes.cast(pixels.ctypes.data, ctypes.c_char_p)
    x.xlib.XPutImage(x.display, pixmap, x.xlib.XDefaultGC(x.display, place), image, 0, 0, 0, 0, width, height)
    image.contents.data = None
    x.xlib.XFree(image)
    return pixmap


def pixels_of(grey: Pixels, visual: Any, image: Any) -> np.ndarray:
    """Grey levels (height, width) as numbers of that visual, each row as long as the X image wants it."""
    kind = np.uint32 if image.bits_per_pixel == 32 else np.uint16
    rows = np.zeros((grey.shape[0], image.bytes_per_line // np.dtype(kind).itemsize), kind)
    for mask in (visual.red_mask, visual.green_mask, visual.blue_mask):
        shift, levels = (mask & -mask).bit_length() - 1, mask >> ((mask & -mask).bit_length() - 1)
        rows[:, : grey.shape[1]] |= (grey.astype(kind) * levels // 255 << shift).astype(kind)
    image.byte_order = 0 if sys.byteorder == "little" else 1
    return rows
