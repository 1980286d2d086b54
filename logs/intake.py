"""The bounded queue into the log: any thread puts, the writer thread takes, dates and keeps in order."""

from __future__ import annotations

import math
import queue
import threading
import uuid
from array import array
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import tzinfo
from typing import Any

from logs import records
from logs.clock import ClockPair
from logs.pointing import pack
from logs.records import Anchor, Entry, Recording, SessionRecord
from logs.visits import Event

QUEUE_LIMIT = 100_000
POLL_S = 0.01
ANCHOR_EVERY_S, LOOK_EVERY_S = 3600.0, 60.0


class Intake:
    """`put`, `note` and `wake` for any thread; `collect` and `waiting` for the writer thread alone.

    At most `limit` entries wait; what comes then is counted in `dropped`. `waiting` holds the
    dated entries, the oldest first. `undated` entries had a time or detail that cannot be stored,
    `unsized` ones were put while the window could not tell its size and use the last known one;
    `unmeasured` measures were no finite numbers. `anchor` is the last reading of the clocks that is
    to be written down.
    """

    def __init__(
        self,
        run: uuid.UUID,
        clock: ClockPair,
        zone: tzinfo,
        size_px: Callable[[], tuple[float, float]],
        limit: int = QUEUE_LIMIT,
        synchronised: Callable[[], bool | None] = lambda: None,
    ) -> None:
        self._run, self._clock, self._zone, self._limit = run, clock, zone, limit
        self._anchors = _Anchors(clock, synchronised)
        self._ask_size_px, self._size_px = size_px, (1.0, 1.0)
        self._queue: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._woken = threading.Event()
        self._taken: deque[tuple[Any, ...]] = deque()
        self.waiting: deque[Entry] = deque()
        self.anchor: Anchor | None = None
        self.dropped = 0
        self.undated = 0
        self.unsized = 0
        self.unmeasured = 0

    def __len__(self) -> int:
        return self._queue.qsize() + len(self._taken) + len(self.waiting)

    def put(
        self, event: Event, measures: Mapping[str, float] | None = None, ticks: array[int] | None = None
    ) -> None:
        try:
            self._size_px = self._ask_size_px()
        except Exception:  # noqa: BLE001  whatever the window is doing, the frame must not pay for the log
            self.unsized += 1
        self._enqueue((event, self._size_px, _copy(measures), ticks))

    def note(self, kind: str, detail: Mapping[str, Any] | None, at_s: float) -> None:
        self._enqueue((kind, _copy(detail), at_s))

    def recording(self, recording: Recording) -> None:
        self._enqueue((recording,))

    def wake(self) -> None:
        """End the writer's wait for something to do."""
        self._woken.set()

    def collect(self, wait_s: float) -> None:
        """Move all that was put to `waiting`; waits up to `wait_s` when there is nothing at all."""
        self._await_something(wait_s)
        with suppress(queue.Empty):
            while True:
                self._taken.append(self._queue.get_nowait())
        self._notice_clocks()
        while self._taken:
            self._keep(self._taken.popleft())

    def _await_something(self, wait_s: float) -> None:
        # A thread asleep on the queue would be woken by each put, which costs the frame most of a put.
        for _ in range(math.ceil(wait_s / POLL_S)):
            if not self._queue.empty() or self._woken.wait(POLL_S):
                break
        self._woken.clear()

    def _enqueue(self, item: tuple[Any, ...]) -> None:
        if len(self) >= self._limit:
            self.dropped += 1
        else:
            self._queue.put(item)

    def _notice_clocks(self) -> None:
        change, now_s = self._clock.change(), self._clock.now_s()
        for kind, change_s in (("clock_step", change.step_s), ("slept", change.asleep_s)):
            if change_s:
                step_ms = round(change_s * 1000) if kind == "clock_step" else 0
                detail = {"step_s" if step_ms else "asleep_s": round(change_s, 3)}
                anchor = self._anchors.read(now_s) if step_ms else None
                at_us = self._clock.to_utc_us(now_s)
                self.waiting.append(records.note(kind, at_us, now_s, detail, step_ms, anchor))
        self.anchor = self._anchors.due(now_s) or self.anchor

    def _keep(self, item: tuple[Any, ...]) -> None:
        try:
            entry = self._date(item)
        except Exception:  # noqa: BLE001  a time beyond the calendar, a detail whose own text raises anything
            self.undated += 1
            return
        if self.waiting and isinstance(entry, SessionRecord) and entry.replaces(self.waiting[-1]):
            self.waiting[-1] = entry.completed_by(self.waiting[-1])
        else:
            self.waiting.append(entry)

    def _date(self, item: tuple[Any, ...]) -> Entry:
        if isinstance(item[0], Recording):
            return item[0]
        if isinstance(item[0], Event):
            event, size_px, measures, ticks = item
            entry = records.session_record(event, self._run, self._clock, self._zone, size_px)
            good = {} if measures is None else records.finite(measures)
            self.unmeasured += 1 if measures is None else len(measures) - len(good)
            return replace(entry, measures=good, dwell=b"" if ticks is None else pack(ticks))
        kind, detail, at_s = item
        return records.note(kind, self._clock.to_utc_us(at_s), at_s, detail)


class _Anchors:
    """Tells when the clocks are to be written down: each hour, and whenever they changed."""

    def __init__(self, clock: ClockPair, synchronised: Callable[[], bool | None]) -> None:
        self._clock, self._ask = clock, synchronised
        # The row of the run has the first one.
        self._known = synchronised()
        self._next_s, self._next_look_s = clock.now_s() + ANCHOR_EVERY_S, clock.now_s() + LOOK_EVERY_S

    def due(self, now_s: float) -> Anchor | None:
        if now_s < self._next_look_s:
            return None
        self._next_look_s = now_s + LOOK_EVERY_S
        return self.read(now_s) if self._ask() != self._known or now_s >= self._next_s else None

    def read(self, now_s: float) -> Anchor:
        self._known, self._next_s = self._ask(), now_s + ANCHOR_EVERY_S
        return Anchor(now_s, self._clock.boot_s(now_s), self._clock.to_utc_us(now_s), self._known)


def _copy(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A copy that the caller can no longer change, None for what cannot be copied."""
    try:
        return {} if values is None else dict(values)
    except Exception:  # noqa: BLE001  a mapping may be any code, and handing over never raises
        return None
