"""The gallery's closing time: a moment of the wall clock, watched on the monotonic one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta, tzinfo

# The wall clock may have been stepped, or the day may have changed its hours.
LOOK_EVERY_S = 60.0
# A closing that lies further back was jumped over by a clock that was put right.
JUMP = timedelta(minutes=10)


class Closing:
    """True once at each closing; `closes_at` is HH:MM in the zone, empty for never.

    `wall_ns` gives UTC nanoseconds. For one thread.
    """

    def __init__(self, closes_at: str, zone: tzinfo, wall_ns: Callable[[], int]) -> None:
        self._time = time.fromisoformat(closes_at) if closes_at else None
        self._zone, self._wall_ns = zone, wall_ns
        self._look_at_s: float | None = None
        self._next: datetime | None = None

    def __call__(self, now_s: float) -> bool:
        """Whether the closing time has passed since the last call; `now_s` is monotonic."""
        if self._time is None or (self._look_at_s is not None and now_s < self._look_at_s):
            return False
        now = datetime.fromtimestamp(self._wall_ns() / 1e9, UTC)
        passed = self._next is not None and self._next <= now < self._next + JUMP
        # A clock that was set back must not wait for a closing that is days away.
        self._next = self._closing_after(now)
        self._look_at_s = now_s + min(LOOK_EVERY_S, (self._next - now).total_seconds())
        return passed

    def _closing_after(self, now: datetime) -> datetime:
        assert self._time is not None
        today = now.astimezone(self._zone).date()
        days = (today + timedelta(days=number) for number in range(3))
        closings = (datetime.combine(day, self._time, self._zone).astimezone(UTC) for day in days)
        return next(closing for closing in closings if closing > now)
