"""What the set-up says while it works, and how it says that it cannot go on (standard library only)."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


class SetupFailed(Exception):
    """The set-up cannot go on; the text says what happened and what to do next. Exit code 1."""


def say(text: str) -> None:
    """One line on stderr: stdout belongs to the command that follows."""
    print(f"baited: {text}", file=sys.stderr, flush=True)


class Steps:
    """Lines with the seconds since the set-up began."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._begun_s = now()

    def say(self, text: str) -> None:
        """One line: elapsed seconds and what is done now."""
        say(f"[{self._now() - self._begun_s:5.1f} s] {text}")
