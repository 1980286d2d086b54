"""The bounded queue into the log: any thread puts, the writer thread takes, dates and keeps in order."""

from __future__ import annotations

import queue
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import Any

from logs import records
from logs.clock import ClockPair
from logs.records import Note, SessionRecord
from logs.visits import Event

QUEUE_LIMIT = 100_000


class Intake:
    """`put`, `note` and `wake` for any thread; `collect` and `waiting` for the writer thread alone.

    At most `limit` entries wait; what comes then is counted in `dropped`. `waiting` holds the
    dated entries, the oldest first. `undated` entries had a time or detail that cannot be stored,
    `unsized` ones were put while the window could not tell its size and use the last known one;
    `unmeasured` measures were no finite numbers.
    """

    def __init__(
        self,
        run: uuid.UUID,
        clock: ClockPair,
        zone: tzinfo,
        size_px: Callable[[], tuple[float, float]],
        limit: int = QUEUE_LIMIT,
    ) -> None:
        self._run, self._clock, self._zone, self._limit = run, clock, zone, limit
        self._ask_size_px, self._size_px = size_px, (1.0, 1.0)
        self._queue: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._taken: deque[tuple[Any, ...]] = deque()
        self.waiting: deque[SessionRecord | Note] = deque()
        self.dropped = 0
        self.undated = 0
        self.unsized = 0
        self.unmeasured = 0

    def __len__(self) -> int:
        return self._queue.qsize() + len(self._taken) + len(self.waiting)

    def put(self, event: Event, measures: Mapping[str, float] | None = None) -> None:
        try:
            self._size_px = self._ask_size_px()
        except Exception:  # noqa: BLE001  whatever the window is doing, the frame must not pay for the log
            self.unsized += 1
        self._enqueue((event, self._size_px, _copy(measures)))

    def note(self, kind: str, detail: Mapping[str, Any] | None, at_s: float) -> None:
        self._enqueue((kind, _copy(detail), at_s))

    def wake(self) -> None:
        """End the writer's wait for something to do."""
        self._queue.put(None)

    def collect(self, wait_s: float) -> None:
        """Move all that was put to `waiting`; waits up to `wait_s` when there is nothing at all."""
        try:
            self._take(self._queue.get(timeout=wait_s) if wait_s > 0 else self._queue.get_nowait())
            while True:
                self._take(self._queue.get_nowait())
        except queue.Empty:
            pass
        self._notice_clock_step()
        while self._taken:
            self._keep(self._taken.popleft())

    def _take(self, item: tuple[Any, ...] | None) -> None:
        if item is not None:
            self._taken.append(item)

    def _enqueue(self, item: tuple[Any, ...]) -> None:
        if len(self) >= self._limit:
            self.dropped += 1
        else:
            self._queue.put(item)

    def _notice_clock_step(self) -> None:
        step_s = self._clock.step_s()
        if step_s:
            now_s = self._clock.now_s()
            detail = {"step_s": round(step_s, 3)}
            self.waiting.append(
                records.note("clock_step", self._clock.to_utc_us(now_s), now_s, detail, round(step_s * 1000))
            )

    def _keep(self, item: tuple[Any, ...]) -> None:
        try:
            entry = self._date(item)
        except Exception:  # noqa: BLE001  a time beyond the calendar, a detail whose own text raises anything
            self.undated += 1
            return
        if self.waiting and isinstance(entry, SessionRecord) and entry.replaces(self.waiting[-1]):
            self.waiting[-1] = entry.with_measures_of(self.waiting[-1])
        else:
            self.waiting.append(entry)

    def _date(self, item: tuple[Any, ...]) -> SessionRecord | Note:
        if isinstance(item[0], Event):
            event, size_px, measures = item
            entry = records.session_record(event, self._run, self._clock, self._zone, size_px)
            good = {} if measures is None else records.finite(measures)
            self.unmeasured += 1 if measures is None else len(measures) - len(good)
            return replace(entry, measures=good)
        kind, detail, at_s = item
        return records.note(kind, self._clock.to_utc_us(at_s), at_s, detail)


def _copy(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A copy that the caller can no longer change, None for what cannot be copied."""
    try:
        return {} if values is None else dict(values)
    except Exception:  # noqa: BLE001  a mapping may be any code, and handing over never raises
        return None
