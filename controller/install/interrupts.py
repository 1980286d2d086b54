"""Ctrl+C while the program starts: it leaves at once and without a word (standard library only)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

INTERRUPTED = 130  # what a shell reports for a program that SIGINT ended


def leave_quietly() -> None:
    """From here on the key ends this process at once: nothing has begun that must be tidied up."""
    _answer(lambda *_: os._exit(INTERRUPTED))
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def raise_again() -> None:
    """From here on the key is a KeyboardInterrupt, as Python has it."""
    _answer(signal.default_int_handler)


def put_off() -> None:
    """Keeps the key back until `leave_quietly`, through exec: Python cannot answer it while it starts."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _answer(handler: Callable[..., Any]) -> None:
    # In the background of a script the key is not meant for us.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)
