"""The log's two clocks: the monotonic one that measures, and the wall clock that dates and may jump."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

STEP_NOTED_S = 1.0
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class LocalTime(NamedTuple):
    """The gallery's view of an instant: offset from UTC in minutes, date as YYYY-MM-DD, hour 0-23."""

    utc_offset_min: int
    date: str
    hour: int


def local_time(at_us: int, zone: tzinfo) -> LocalTime:
    """The gallery's date and hour at a UTC instant in microseconds; never ambiguous at a DST change."""
    local = (EPOCH + timedelta(microseconds=at_us)).astimezone(zone)
    offset = local.utcoffset() or timedelta(0)
    return LocalTime(round(offset.total_seconds() / 60), local.date().isoformat(), local.hour)


class ClockPair:
    """Turns monotonic seconds into UTC microseconds and notices when the wall clock is stepped."""

    def __init__(
        self,
        perf: Callable[[], float] = time.perf_counter,
        wall_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._perf, self._wall_ns = perf, wall_ns
        self._offset_us = self._read_offset_us()

    def now_s(self) -> float:
        return self._perf()

    def now_us(self) -> int:
        return self._wall_ns() // 1000

    def to_utc_us(self, at_s: float) -> int:
        """The UTC of a monotonic instant, by the wall clock as it was last read by `step_s`."""
        return self._offset_us + round(at_s * 1e6)

    def step_s(self) -> float:
        """Read both clocks anew; seconds the wall clock was stepped since the last reading, else 0.

        Less than a second is the slow correction of a healthy clock and counts as none.
        """
        before_us, self._offset_us = self._offset_us, self._read_offset_us()
        step_s = (self._offset_us - before_us) / 1e6
        return step_s if abs(step_s) > STEP_NOTED_S else 0.0

    def _read_offset_us(self) -> int:
        """UTC minus monotonic in microseconds: the tightest of three readings, as one may be interrupted."""
        readings = []
        for _ in range(3):
            before_s = self._perf()
            wall_us = self._wall_ns() // 1000
            after_s = self._perf()
            readings.append((after_s - before_s, wall_us - round((before_s + after_s) * 5e5)))
        return min(readings)[1]
