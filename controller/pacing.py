"""Pictures at a steady rate where the screen does not hold them back itself."""

from __future__ import annotations

from collections.abc import Callable


class Pacer:
    """Sleeps to absolute deadlines, so that late pictures do not push the later ones."""

    def __init__(self, period_s: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._period_s = period_s
        self._clock, self._sleep = clock, sleep
        self._deadline_s = clock()

    def wait(self) -> None:
        """Sleep until the next deadline; after a hiccup the deadlines start anew from now."""
        self._deadline_s += self._period_s
        left_s = self._deadline_s - self._clock()
        if left_s > 0:
            self._sleep(left_s)
        elif left_s < -self._period_s:
            self._deadline_s = self._clock()
