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


class Change(NamedTuple):
    """Since the last reading: seconds the wall clock was stepped, seconds the machine was asleep."""

    step_s: float
    asleep_s: float


class ClockPair:
    """Turns monotonic seconds into UTC microseconds and notices when the wall clock is stepped.

    `boot` is a monotonic clock that also counts while the machine sleeps, in seconds; without it a
    sleep looks like a step.
    """

    def __init__(
        self,
        perf: Callable[[], float] = time.perf_counter,
        wall_ns: Callable[[], int] = time.time_ns,
        boot: Callable[[], float] | None = None,
    ) -> None:
        self._perf, self._wall_ns, self._boot = perf, wall_ns, boot or perf
        self._offset_us, self._asleep_s = self._read()

    def now_s(self) -> float:
        return self._perf()

    def now_us(self) -> int:
        return self._wall_ns() // 1000

    def boot_s(self, at_s: float) -> float:
        """Seconds since boot, sleep included, at a monotonic instant since the last reading."""
        return at_s + self._asleep_s

    def to_utc_us(self, at_s: float) -> int:
        """The UTC of a monotonic instant, by the wall clock as it was last read by `change`."""
        return self._offset_us + round(at_s * 1e6)

    def change(self) -> Change:
        """Read the clocks anew. Less than a second is the slow correction of a healthy clock: none."""
        before_us, before_s = self._offset_us, self._asleep_s
        self._offset_us, self._asleep_s = self._read()
        asleep_s = self._asleep_s - before_s
        step_s = (self._offset_us - before_us) / 1e6 - asleep_s
        return Change(*(found_s if abs(found_s) > STEP_NOTED_S else 0.0 for found_s in (step_s, asleep_s)))

    def _read(self) -> tuple[int, float]:
        """UTC minus monotonic in microseconds, boot minus monotonic in seconds: the tightest of three
        readings, as one may be interrupted."""
        readings = []
        for _ in range(3):
            before_s = self._perf()
            wall_us, boot_s = self._wall_ns() // 1000, self._boot()
            after_s = self._perf()
            middle_s = (before_s + after_s) / 2
            readings.append((after_s - before_s, wall_us - round(middle_s * 1e6), boot_s - middle_s))
        return min(readings)[1:]
