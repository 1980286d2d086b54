"""The bounded queue into the log: any thread puts, the writer thread takes, dates and keeps in order."""

from __future__ import annotations

import queue
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from datetime import tzinfo
from typing import Any

from logs import records
from logs.clock import ClockPair
from logs.records import Note, SessionRecord
from logs.visits import Event

QUEUE_LIMIT = 100_000
# What code handed to the log, or a driver's own code, may raise without being a stop or an exit.
FAULTS = (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)


class Intake:
    """`put`, `note` and `wake` for any thread; `collect` and `waiting` for the writer thread alone.

    At most `limit` entries wait; what comes then is counted in `dropped`. `waiting` holds the
    dated entries, the oldest first. `undated` entries had a time or detail that cannot be stored,
    `unsized` ones were put while the window could not tell its size and use the last known one.
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
        self.waiting: deque[SessionRecord | Note] = deque()
        self.dropped = 0
        self.undated = 0
        self.unsized = 0

    def __len__(self) -> int:
        return self._queue.qsize() + len(self.waiting)

    def put(self, event: Event) -> None:
        try:
            self._size_px = self._ask_size_px()
        except FAULTS:  # whatever the window is doing, the frame thread must not pay for the log
            self.unsized += 1
        self._enqueue((event, self._size_px))

    def note(self, kind: str, detail: Mapping[str, Any], at_s: float) -> None:
        self._enqueue((kind, dict(detail), at_s))

    def wake(self) -> None:
        """End the writer's wait for something to do."""
        self._queue.put(None)

    def collect(self, wait_s: float) -> None:
        """Move all that was put to `waiting`; waits up to `wait_s` when there is nothing at all."""
        items = []
        try:
            items.append(self._queue.get(timeout=wait_s) if wait_s > 0 else self._queue.get_nowait())
            while True:
                items.append(self._queue.get_nowait())
        except queue.Empty:
            pass
        self._notice_clock_step()
        for item in filter(None, items):
            self._keep(item)

    def _enqueue(self, item: tuple[Any, ...]) -> None:
        if self._queue.qsize() + len(self.waiting) >= self._limit:
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
        except (ArithmeticError, ValueError, TypeError):  # a time beyond the calendar, a detail not plain
            self.undated += 1
            return
        if self.waiting and isinstance(entry, SessionRecord) and entry.replaces(self.waiting[-1]):
            self.waiting[-1] = entry
        else:
            self.waiting.append(entry)

    def _date(self, item: tuple[Any, ...]) -> SessionRecord | Note:
        if isinstance(item[0], Event):
            return records.session_record(item[0], self._run, self._clock, self._zone, item[1])
        kind, detail, at_s = item
        return records.note(kind, self._clock.to_utc_us(at_s), at_s, detail)
