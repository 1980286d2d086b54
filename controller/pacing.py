"""Pictures at a steady rate: held back by the screen where its flips wait, by sleeping where they do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

# Flips that come much faster than the screen's rate do not wait for it.
LOOKED_AT_PICTURES = 30
TOO_FAST_SHARE = 0.75
PICTURES_BETWEEN_LOOKS = 600


class Pacer:
    """Sleeps to absolute deadlines, so that late pictures do not push the later ones.

    Deadlines are counted from where the clock stood, never summed up. A picture that misses its
    own goes on at once; missed ones are skipped, so there are never more pictures than deadlines.
    """

    def __init__(self, period_s: float, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._clock, self._sleep = clock, sleep
        self.set_period(period_s)

    def set_period(self, period_s: float) -> None:
        """Another period (s) from now on."""
        self._period_s = period_s
        self._origin_s, self._passed = self._clock(), 0

    def wait(self) -> None:
        """Sleep until the next deadline, at most two periods, also when the clock was set back."""
        now_s = self._clock()
        self._passed = max(self._passed + 1, int((now_s - self._origin_s) / self._period_s))
        left_s = self._origin_s + self._passed * self._period_s - now_s
        if left_s > 2 * self._period_s:
            self.set_period(self._period_s)
            self._passed, left_s = 1, self._period_s
        if left_s > 0:
            self._sleep(left_s)


class Screen(Protocol):
    """What the rhythm asks of the canvas; both may change while it runs."""

    @property
    def vsync(self) -> bool: ...

    @property
    def refresh_rate(self) -> float: ...


class Rhythm:
    """Lets a screen whose flips wait set the pace, and sleeps itself when they cease to.

    Flips may cease to wait with the monitor off or another compositor. The first pictures show it:
    meanwhile they come at twice the rate at most, then at the rate. Every 600 pictures it looks
    whether they wait again. `held_by_screen` tells who sets the pace.
    """

    def __init__(self, screen: Screen, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._screen, self._clock = screen, clock
        self._vsync, self._rate_hz = screen.vsync, screen.refresh_rate
        self._pacer = Pacer(1 / self._rate_hz, clock, sleep)
        self.held_by_screen = False
        self._begin(self._vsync)

    def wait(self) -> None:
        """Call after each flip; returns when the next picture may begin."""
        if (self._screen.vsync, self._screen.refresh_rate) != (self._vsync, self._rate_hz):
            self._vsync, self._rate_hz = self._screen.vsync, self._screen.refresh_rate
            self._begin(self._vsync)
        self._pacer.wait()
        self._pictures += 1
        if not self._vsync:
            return
        if self.held_by_screen and self._pictures >= LOOKED_AT_PICTURES:
            self._begin(not self._came_too_fast())
        elif self._pictures >= PICTURES_BETWEEN_LOOKS:
            self._begin(True)

    def _begin(self, held_by_screen: bool) -> None:
        """Another stretch of pictures; where the screen holds them the pacer is only a bound."""
        self._pacer.set_period((0.5 if held_by_screen else 1.0) / self._rate_hz)
        self.held_by_screen = held_by_screen
        self._since_s, self._pictures = self._clock(), 0

    def _came_too_fast(self) -> bool:
        lasted_s = self._clock() - self._since_s
        return 0 <= lasted_s < TOO_FAST_SHARE * self._pictures / self._rate_hz
