"""What the machine says of its clocks: whether the network sets the wall clock, and the time since boot."""

from __future__ import annotations

import ctypes
import time

STA_UNSYNC = 0x40
TIME_ERROR = 5


class _Timex(ctypes.Structure):
    """The beginning of the kernel's `struct timex` (adjtimex(2)) and room for the rest."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


def is_synchronised() -> bool | None:
    """True while a time service keeps the wall clock, as the kernel knows it; None where it cannot tell."""
    try:
        timex = _Timex()
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(timex))
    except (AttributeError, OSError, TypeError):  # no Linux
        return None
    return None if state < 0 else state != TIME_ERROR and not timex.status & STA_UNSYNC


def boot_time_s() -> float:
    """Seconds since boot, those asleep included; the plain monotonic clock where there is no such clock."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.perf_counter() if clock is None else time.clock_gettime(clock)
