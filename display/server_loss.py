"""Staying alive when the X server ends: Xlib would otherwise end the process with exit code 1."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

# ctypes callbacks must outlive every call that C may make of them; one entry for each connection's address.
_kept: dict[int, Any] = {}
_error_kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_exit_kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_request_error_kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


# What the commands say of a lost screen; Xlib would say 1.
LOST_SCREEN = 3


@_error_kind
def _returns(display: int) -> int:
    # The default error handler ends the process before the exit handler is asked; this one returns. Nothing
    # saves a process whose server ends while a connection is still being made.
    if display not in _kept:
        os._exit(LOST_SCREEN)
    return 0


@_request_error_kind
def _passes_over(_display: int, _event: int) -> int:
    return 0


def call_when_server_ends(display: Any, lost: Callable[[], None]) -> bool:
    """Have `lost` called, instead of exit(1), when the connection `display` breaks.

    Holds for that one connection: each needs its own call. Returns False where libX11 is older than
    1.7 and cannot do it. `lost` must only note the fact: no X and no GL call on this display is
    allowed after it.
    """
    library = ctypes.CDLL("libX11.so.6")
    if not hasattr(library, "XSetIOErrorExitHandler"):
        return False
    connection = ctypes.cast(display, ctypes.c_void_p)
    instead_of_exit = _exit_kind(lambda _display, _data: lost())
    _kept[connection.value or 0] = instead_of_exit
    library.XSetIOErrorHandler.argtypes = [_error_kind]
    library.XSetIOErrorHandler.restype = ctypes.c_void_p
    library.XSetIOErrorHandler(_returns)
    library.XSetIOErrorExitHandler.argtypes = [ctypes.c_void_p, _exit_kind, ctypes.c_void_p]
    library.XSetIOErrorExitHandler.restype = None
    library.XSetIOErrorExitHandler(connection, instead_of_exit, None)
    return True


def forget(display: Any) -> None:
    """The connection `display` is being closed; another may get its address."""
    _kept.pop(ctypes.cast(display, ctypes.c_void_p).value or 0, None)


def pass_over_request_errors() -> None:
    """Let a request about something that has just gone (an output, a window) fail without ending the
    process, as pyglet does for windows. For the whole process."""
    library = ctypes.CDLL("libX11.so.6")
    library.XSetErrorHandler.argtypes = [_request_error_kind]
    library.XSetErrorHandler.restype = ctypes.c_void_p
    library.XSetErrorHandler(_passes_over)
