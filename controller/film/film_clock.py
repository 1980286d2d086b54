"""Time for a film without a screen: each picture lasts exactly its place, however long drawing it takes."""

from __future__ import annotations

from collections.abc import Callable


class FilmClock:
    """Counts pictures as time from where the host's clock stood; never ahead of that clock.

    Call it for the time; `wait` after each picture. A show that reads it runs slower than life where the
    machine is too slow for its pictures, and its film is smooth all the same.
    """

    held_by_screen = False

    def __init__(self, rate_hz: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._rate_hz, self._clock, self._sleep = rate_hz, clock, sleep
        self._start_s, self._pictures = clock(), 0

    def __call__(self) -> float:
        return self._start_s + self._pictures / self._rate_hz

    def wait(self) -> None:
        """The next picture's time has come; waits for the host's clock where that is behind."""
        self._pictures += 1
        left_s = self() - self._clock()
        if left_s > 0:
            self._sleep(left_s)
