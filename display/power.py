"""Keeping the screen lit: screen saver and power saving (DPMS) off while a show runs.

The old values come back at its end. They also stand in a property of the root window, which lives as
long as the server, as do the settings: after a show that was killed, the next one restores what was
there before both.
"""

from __future__ import annotations

import ctypes
import logging
from dataclasses import dataclass
from typing import Any

from display.x_connection import XConnection

PROPERTY = b"_BAITED_OLD_POWER"
_CARDINAL = 6  # Xatom.h

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PowerState:
    """`saver_s`: seconds until the screen saver, 0 = never; `dpms`: power saving on, None = not there."""

    saver_s: int
    dpms: bool | None


class Power:
    """The saver and power saving of one server."""

    def __init__(self, x: XConnection) -> None:
        self._x = x
        self._dpms = _dpms_library(x)
        self._property: int = x.xlib.XInternAtom(x.display, PROPERTY, False)
        self._old: PowerState | None = None

    def state(self) -> PowerState:
        """What the server says now."""
        return PowerState(self._saver()[0], self._dpms_state())

    def inhibit(self) -> PowerState:
        """Turn both off and light a dark screen; to be repeated, since others may turn them on again.

        Returns what was found, which differs from `PowerState(0, False)` when somebody did.
        """
        found = self.state()
        if self._old is None:
            self._old = self._before(found)
            if self._dpms is None:
                log.info("power saving (DPMS) cannot be set on this X server; only the screen saver is off")
        # Again each time: another show's end takes the property away.
        self._keep(self._old)
        if found.saver_s:
            self._set_saver(0)
            self._x.xlib.XResetScreenSaver(self._x.display)
        if found.dpms:
            self._dpms.DPMSDisable(self._x.pointer)  # type: ignore[union-attr]
        self._x.finish()
        return found

    def restore(self) -> None:
        """Give both the values from before the show back."""
        if self._old is None or self._x.ended:
            return
        self._set_saver(self._old.saver_s)
        if self._dpms is not None and self._old.dpms:
            self._dpms.DPMSEnable(self._x.pointer)
        self._x.xlib.XDeleteProperty(self._x.display, self._x.root, self._property)
        self._x.finish()
        self._old = None

    def _before(self, found: PowerState) -> PowerState:
        """What a killed show kept counts where its zero still stands; else what is found."""
        kept = self._kept()
        if kept is None:
            return found
        return PowerState(found.saver_s or kept.saver_s, found.dpms or kept.dpms)

    def _saver(self) -> list[int]:
        values = [ctypes.c_int() for _ in range(4)]
        self._x.xlib.XGetScreenSaver(self._x.display, *map(ctypes.byref, values))
        return [value.value for value in values]

    def _set_saver(self, timeout_s: int) -> None:
        _, interval_s, blanking, exposures = self._saver()
        self._x.xlib.XSetScreenSaver(self._x.display, timeout_s, interval_s, blanking, exposures)

    def _dpms_state(self) -> bool | None:
        if self._dpms is None:
            return None
        level, enabled = ctypes.c_ushort(), ctypes.c_ubyte()
        self._dpms.DPMSInfo(self._x.pointer, ctypes.byref(level), ctypes.byref(enabled))
        return bool(enabled.value)

    def _keep(self, old: PowerState) -> None:
        values = (ctypes.c_ulong * 2)(old.saver_s, bool(old.dpms))
        data = ctypes.cast(values, ctypes.POINTER(ctypes.c_ubyte))
        replace = 0  # PropModeReplace (X.h)
        self._x.xlib.XChangeProperty(
            self._x.display, self._x.root, self._property, _CARDINAL, 32, replace, data, len(values)
        )

    def _kept(self) -> PowerState | None:
        kind, shape = ctypes.c_ulong(), ctypes.c_int()
        count, left = ctypes.c_ulong(), ctypes.c_ulong()
        data = ctypes.POINTER(ctypes.c_ubyte)()
        asked = (self._x.display, self._x.root, self._property, 0, 2, False, _CARDINAL)
        answers = map(ctypes.byref, (kind, shape, count, left, data))
        failed = self._x.xlib.XGetWindowProperty(*asked, *answers)
        if failed or not data:
            return None
        values = ctypes.cast(data, ctypes.POINTER(ctypes.c_ulong))
        kept = PowerState(int(values[0]), bool(values[1])) if count.value == 2 and shape.value == 32 else None
        self._x.xlib.XFree(data)
        return kept


def _dpms_library(x: XConnection) -> Any:
    """libXext where it and the server can set power saving, else None."""
    try:
        library = ctypes.CDLL("libXext.so.6")
    except OSError:
        return None
    numbers = ctypes.c_int(), ctypes.c_int()
    there = library.DPMSQueryExtension(x.pointer, *map(ctypes.byref, numbers))
    return library if there and library.DPMSCapable(x.pointer) else None
