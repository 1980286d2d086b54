"""Keeps ALSA, the sound library of Linux, from writing its own lines into ours."""

from __future__ import annotations

import ctypes
import sys
from functools import cache


@cache
def silence_alsa() -> None:
    """From now on its complaints go nowhere; what matters of them comes back as an error code.

    Our own stderr is not touched, so nothing of another thread can be lost meanwhile. The handler
    is a C function that does nothing with its arguments: one in Python would need the interpreter
    in the device's thread, and would be gone before that thread at the end of the process.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        alsa, nothing = ctypes.CDLL("libasound.so.2"), ctypes.CDLL(None).getpid
        alsa.snd_lib_error_set_handler(ctypes.cast(nothing, ctypes.c_void_p))
    except (OSError, AttributeError):
        return  # no ALSA here: nobody to silence
