"""Where a window stands on the desktop and what lies over it, asked and changed over a connection of its own.

X lets one connection move another's window; the owner learns its new size from the server's event.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from display.monitors import Screen
from display.x_connection import XConnection

Area = tuple[int, int, int, int]
# ICCCM 4.1.2.3: position and size by the program, both limits, gravity.
_HINTS = (1 << 2) | (1 << 3) | (1 << 4) | (1 << 5) | (1 << 9)
_STATIC_GRAVITY = 10
_VIEWABLE, _INPUT_OUTPUT = 2, 1
_NO_FOCUS, _POINTER_ROOT, _REVERT_TO_PARENT = 0, 1, 2
_DEEPEST_FRAME = 8


class Covering:
    """One window, by its X number."""

    def __init__(self, x: XConnection, window: int) -> None:
        self._x, self._window = x, window

    def area(self) -> Area | None:
        """(x, y, width, height) in px of the desktop; None when the window is gone."""
        root, border, depth = ctypes.c_ulong(), ctypes.c_uint(), ctypes.c_uint()
        width, height = ctypes.c_uint(), ctypes.c_uint()
        left, top, child = ctypes.c_int(), ctypes.c_int(), ctypes.c_ulong()
        answers = map(ctypes.byref, (root, left, top, width, height, border, depth))
        if not self._x.xlib.XGetGeometry(self._x.display, self._window, *answers):
            return None
        answers = map(ctypes.byref, (left, top, child))
        self._x.xlib.XTranslateCoordinates(self._x.display, self._window, self._x.root, 0, 0, *answers)
        return left.value, top.value, width.value, height.value

    def covers(self, screen: Screen) -> bool:
        """True when the window has exactly the place and size of the screen."""
        return self.area() == area_of(screen)

    def put(self, screen: Screen) -> None:
        """Ask for the screen's place and size; a window manager may answer late, or not at all."""
        hints = self._x.xlib.XSizeHints()
        hints.flags, hints.win_gravity = _HINTS, _STATIC_GRAVITY
        hints.x, hints.y, hints.width, hints.height = area_of(screen)
        hints.min_width = hints.max_width = screen.width
        hints.min_height = hints.max_height = screen.height
        self._x.xlib.XSetWMNormalHints(self._x.display, self._window, ctypes.byref(hints))
        self._x.xlib.XMoveResizeWindow(self._x.display, self._window, *area_of(screen))
        self._x.finish()

    def is_covered(self) -> bool:
        """True when another visible window lies over a part of it."""
        own = self.area()
        return own is not None and any(_overlap(own, area) for area in self._areas_above())

    def raise_over_others(self) -> None:
        """Ask to be on top again."""
        self._x.xlib.XRaiseWindow(self._x.display, self._window)
        self._x.finish()

    def take_orphaned_keys(self) -> None:
        """Take the keyboard when it belongs to nobody, as after a pop-up that had it was closed."""
        focus, revert = ctypes.c_ulong(), ctypes.c_int()
        self._x.xlib.XGetInputFocus(self._x.display, ctypes.byref(focus), ctypes.byref(revert))
        if focus.value in (_NO_FOCUS, _POINTER_ROOT, self._x.root) and self.area() is not None:
            self._x.xlib.XSetInputFocus(self._x.display, self._window, _REVERT_TO_PARENT, 0)
            self._x.finish()

    def _areas_above(self) -> Iterator[Area]:
        _, stack = self._family(self._x.root)
        frame = self._frame()
        above = stack[stack.index(frame) + 1 :] if frame in stack else []
        for window in above:
            seen = self._x.xlib.XWindowAttributes()
            found = self._x.xlib.XGetWindowAttributes(self._x.display, window, ctypes.byref(seen))
            if found and seen.map_state == _VIEWABLE and getattr(seen, "class") == _INPUT_OUTPUT:
                yield seen.x, seen.y, seen.width, seen.height

    def _frame(self) -> int:
        """The window itself, or the one that a window manager has put it into."""
        window = self._window
        for _ in range(_DEEPEST_FRAME):
            parent, _children = self._family(window)
            if parent in (0, self._x.root):
                break
            window = parent
        return window

    def _family(self, window: int) -> tuple[int, list[int]]:
        """(the parent, the children from the lowest to the topmost)."""
        root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
        children = ctypes.POINTER(ctypes.c_ulong)()
        answers = map(ctypes.byref, (root, parent, children, count))
        if not self._x.xlib.XQueryTree(self._x.display, window, *answers):
            return 0, []
        found = [int(children[i]) for i in range(count.value)]
        if children:
            self._x.xlib.XFree(children)
        return int(parent.value), found


def area_of(screen: Screen) -> Area:
    """(x, y, width, height) in px of the desktop."""
    return screen.x, screen.y, screen.width, screen.height


def _overlap(one: Area, other: Area) -> bool:
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    return across > 0 and down > 0
