"""How steadily the pictures come: intervals and durations of each, summed up once a minute."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

SPAN_S = 60.0
# Two minutes at 240 Hz, so that a minute stays whole while the next one is written over the one before.
KEPT_PICTURES = 2 * 240 * 60
# PsychoPy's rule: a picture was dropped when the interval exceeds the period by a fifth.
DROPPED_PERIODS = 1.2
INTERVAL, STEP, SUBMIT, FLIP, GPU = range(5)

Note = Callable[[str, Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Span:
    """A minute of pictures as the frame thread hands it over: numbers `first` to before `end`."""

    first: int
    end: int
    dropped: int
    period_s: float


class FrameTimes:
    """`add` for the frame thread after each flip; `collect` and `facts` for the status thread.

    `rate_hz` gives the screen's rate, which may change; `note` takes each minute's summary under
    the name `frames`. Times are seconds of one clock; summaries are ms.
    """

    def __init__(self, rate_hz: Callable[[], float], note: Note) -> None:
        self._rate_hz, self._note = rate_hz, note
        # Filled now, so that no memory is first touched while the show runs.
        self._rows = np.full((KEPT_PICTURES, 5), math.nan, np.float32)
        self._spans: deque[Span] = deque(maxlen=8)
        self._last_s = self._since_s = -math.inf
        self._first, self._dropped_before = 0, 0
        self._minute: dict[str, float | None] = {}
        self.pictures = 0
        self.dropped = 0

    def add(self, step_s: float, submit_s: float, flip_s: float, at_s: float, gpu_s: float | None) -> None:
        """One picture whose flip returned at `at_s`; the first one and a clock set back give no interval."""
        interval_s, self._last_s = at_s - self._last_s, at_s
        if not 0.0 <= interval_s < math.inf:
            self._since_s = at_s
            return
        row = self._rows[self.pictures % KEPT_PICTURES]
        row[INTERVAL], row[STEP], row[SUBMIT], row[FLIP] = interval_s, step_s, submit_s, flip_s
        row[GPU] = math.nan if gpu_s is None else gpu_s
        self.pictures += 1
        period_s = 1.0 / self._rate_hz()
        if interval_s > DROPPED_PERIODS * period_s:
            self.dropped += 1
        if at_s - self._since_s >= SPAN_S:
            self._hand_over(period_s)
            self._since_s = at_s

    def _hand_over(self, period_s: float) -> None:
        self._spans.append(Span(self._first, self.pictures, self.dropped - self._dropped_before, period_s))
        self._first, self._dropped_before = self.pictures, self.dropped

    def collect(self) -> None:
        """Sum up and note the minutes that are over."""
        with suppress(IndexError):
            while True:
                self._sum_up(self._spans.popleft())

    def finish(self) -> None:
        """At the end of the show, by the frame thread: the minute under way too."""
        self._hand_over(1.0 / self._rate_hz())
        self.collect()

    def facts(self) -> dict[str, Any]:
        """For the status: the last whole minute (empty before) and the dropped pictures since the start."""
        return {"minute": self._minute, "pictures": self.pictures, "dropped": self.dropped}

    def _sum_up(self, span: Span) -> None:
        # The newest pictures may be over the oldest ones, where nobody collected in time.
        kept = min(span.end - span.first, KEPT_PICTURES - max(0, self.pictures - span.end))
        if kept > 0:
            places = np.arange(span.end - kept, span.end) % KEPT_PICTURES
            self._minute = summary(self._rows[places], span)
            self._note("frames", self._minute)


class PictureRate:
    """Pictures a second, from their count looked at now and then.

    A figure is of `span_s` or more. After `gap_s` without a look the next is of the time from then on.
    """

    def __init__(self, now_s: float, span_s: float = 0.0, gap_s: float = math.inf) -> None:
        self._since_s = self._looked_s = now_s
        self._span_s, self._gap_s = span_s, gap_s
        self._pictures = 0
        self._rate: float | None = None

    def __call__(self, now_s: float, pictures: int) -> float | None:
        """The newest figure, None before the first."""
        passed_s, late = now_s - self._since_s, now_s - self._looked_s > self._gap_s
        self._looked_s = now_s
        if late or passed_s >= self._span_s:
            self._rate = None if late or passed_s <= 0 else (pictures - self._pictures) / passed_s
            self._since_s, self._pictures = now_s, pictures
        return self._rate


def summary(rows: npt.NDArray[np.float32], span: Span) -> dict[str, float | None]:
    """A minute in ms from rows (n, 5) of seconds; without a GPU clock its values are None."""
    middle, late = np.percentile(rows[:, :GPU], (50, 99), axis=0)
    gpu = rows[~np.isnan(rows[:, GPU]), GPU]
    intervals = rows[:, INTERVAL]
    return {
        "n": span.end - span.first,
        "dropped": span.dropped,
        "period": _ms(span.period_s),
        "mean": _ms(intervals.mean(dtype=np.float64)),
        "p50": _ms(middle[INTERVAL]),
        "p99": _ms(late[INTERVAL]),
        "max": _ms(intervals.max()),
        "step_p50": _ms(middle[STEP]),
        "step_p99": _ms(late[STEP]),
        "submit_p50": _ms(middle[SUBMIT]),
        "submit_p99": _ms(late[SUBMIT]),
        "flip_p50": _ms(middle[FLIP]),
        "gpu_p50": _ms(np.percentile(gpu, 50)) if gpu.size else None,
        "gpu_p99": _ms(np.percentile(gpu, 99)) if gpu.size else None,
    }


def _ms(seconds: float) -> float:
    return round(float(seconds) * 1000.0, 3)
