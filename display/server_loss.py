"""Staying alive when the X server ends: Xlib would otherwise end the process with exit code 1."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

# ctypes callbacks must outlive every call that C may make of them.
_kept: list[Any] = []


def call_when_server_ends(display: Any, lost: Callable[[], None]) -> bool:
    """Have `lost` called, instead of exit(1), when the connection `display` breaks.

    Returns False where libX11 is older than 1.7 and cannot do it. `lost` must only note the fact: no X
    and no GL call on this display is allowed after it.
    """
    library = ctypes.CDLL("libX11.so.6")
    if not hasattr(library, "XSetIOErrorExitHandler"):
        return False
    error_kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    exit_kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    # The default error handler ends the process before the exit handler is asked; this one returns.
    returns = error_kind(lambda _display: 0)
    instead_of_exit = exit_kind(lambda _display, _data: lost())
    _kept.extend((returns, instead_of_exit))
    library.XSetIOErrorHandler.argtypes = [error_kind]
    library.XSetIOErrorHandler.restype = ctypes.c_void_p
    library.XSetIOErrorHandler(returns)
    library.XSetIOErrorExitHandler.argtypes = [ctypes.c_void_p, exit_kind, ctypes.c_void_p]
    library.XSetIOErrorExitHandler.restype = None
    library.XSetIOErrorExitHandler(ctypes.cast(display, ctypes.c_void_p), instead_of_exit, None)
    return True
