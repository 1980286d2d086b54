"""Fixed ticks of 1/60 s out of any clock, and how far the picture stands between two of them."""

from __future__ import annotations

from collections.abc import Callable

TICKS_PER_S = 60
BACKLOG_LIMIT_S = 0.25


class Stepper:
    """Turns the clock into due ticks; a backlog beyond `backlog_limit_s` is dropped and counted.

    Ticks are counted from where the clock stood, never summed up, so no rate of pictures and
    no length of run lets them drift. A clock that goes back counts as one that stood still.
    """

    def __init__(self, clock: Callable[[], float], backlog_limit_s: float = BACKLOG_LIMIT_S) -> None:
        self._clock = clock
        self._backlog_limit_ticks = int(backlog_limit_s * TICKS_PER_S)
        self._origin_s = self._last_s = clock()
        self._passed = 0
        self.tick = 0
        self.dropped_ticks = 0
        self.alpha = 1.0

    def due(self) -> range:
        """The numbers of the ticks that fell due since the last call; sets `alpha` in 0..1."""
        now_s = self._clock()
        if now_s < self._last_s:
            self._origin_s -= self._last_s - now_s
        self._last_s = now_s
        elapsed = (now_s - self._origin_s) * TICKS_PER_S
        # A clock read can stand a rounding error before the tick's own time.
        whole = int(elapsed + 1e-6)
        waiting = max(whole - self._passed, 0)
        if waiting > self._backlog_limit_ticks:
            self.dropped_ticks += waiting - self._backlog_limit_ticks
            waiting = self._backlog_limit_ticks
        self._passed = max(whole, self._passed)
        self.alpha = min(max(elapsed - self._passed, 0.0), 1.0)
        first = self.tick + 1
        self.tick += waiting
        return range(first, self.tick + 1)


class ManualClock:
    """A clock and sleep for tests: time passes only when told to."""

    def __init__(self, now_s: float = 0.0) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Let `seconds` pass; negative ones do not."""
        self.now_s += max(seconds, 0.0)
