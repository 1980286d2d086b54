"""The rules of a visit: from one light reading a tick to sessions with a start, a pulse and an end.

Pure: no clock, no file, no chance. The picture follows every contact; this follows visitors.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, fields, replace

from logs.settings import LogSettings

TICKS_PER_S = 60
SIMULATED = frozenset({"demo", "replay"})
# After these the light is not coming back as the same visit, however short the gap.
FINAL_REASONS = frozenset({"source_changed", "scene_changed", "closing", "stopped"})
# An input may tell late when the light really went: a frozen camera needs 2 s to be noticed, a torch 3.5 s.
LATE_NEWS_S = 10.0
# And when it really came: a camera knows after two frames or one slow one, a torch after its bounce and the
# way here. So long an OFF waits beyond the hold for an ON whose true time lies within it.
LATE_ON_S = {"camera": 0.25, "torch": 0.1}
# Times carry rounding; a gap that misses the hold by less than this is as long as the hold.
TIME_GRAIN_S = 1e-6
# A source that flips each tick would make two events a tick; past this many they wait, sessions merge.
WAITING_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Event:
    """What the log is told of a session; each event carries the whole of it, so none depends on another.

    `number` counts the sessions of this `Visits`; `at_s` and `started_at_s` are on the inputs'
    monotonic clock; `duration_s` reaches from the start to the last moment the light was seen;
    positions are px; `reason` is empty while the session is open; `joins` counts the gaps bridged;
    `demo` marks a simulated visitor.
    """

    number: int
    source: str
    demo: bool
    started_at_s: float
    start_x: float
    start_y: float
    at_s: float
    x: float
    y: float
    joins: int = 0
    reason: str = ""

    @property
    def duration_s(self) -> float:
        return max(0.0, self.at_s - self.started_at_s)


class Started(Event):
    """A light came on."""

    __slots__ = ()


class Beat(Event):
    """The session is still open; `at_s` is when the light was last seen."""

    __slots__ = ()


class Ended(Event):
    """The light is gone; `at_s` is the last true OFF."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class LeftOn:
    """A light that nobody holds: stuck, or still lit at closing. No visit begins with it before a real OFF.

    `since_s` is when it was found out, `dark` when and in which tick it then went dark.
    """

    source: str
    since_s: float
    dark: tuple[float, int] | None = None


@dataclass(slots=True)
class _Open:
    """The session under way and what the rules must remember of it."""

    event: Event
    lit_since_s: float
    moved_at_s: float
    moved_tick: int
    anchor: tuple[float, float]
    next_beat_tick: int
    off_tick: int | None = None
    off_reason: str = ""


def _tell(kind: type[Event], event: Event) -> Event:
    return kind(*(getattr(event, field.name) for field in fields(Event)))


class Visits:
    """The one segmenter: `step` once a tick, `close` at the end; both give one event or None.

    Time given backwards or not finite is held at the last good time and counted in
    `bad_times`; a position that is not finite is replaced by the last good one.
    """

    def __init__(self, settings: LogSettings) -> None:
        self._settings = settings
        self._open: _Open | None = None
        self._left_on: LeftOn | None = None
        self._waiting: deque[Event] = deque()
        self._number = 0
        self._at_s = -math.inf
        self._edge_s = -math.inf
        self._place = (0.0, 0.0)
        self.bad_times = 0

    @property
    def open(self) -> bool:
        """True while a session is open, also within a hold."""
        return self._open is not None

    @property
    def left_on(self) -> LeftOn | None:
        """The light that is on without a visit; None when there is none."""
        return self._left_on

    @property
    def current(self) -> Event | None:
        """The open session as it was last told; None between sessions."""
        return self._open.event if self._open is not None else None

    def step(
        self, tick: int, at_s: float, on: bool, x: float, y: float, source: str, reason: str = ""
    ) -> Event | None:
        """Take the light of one tick (60 a second): at_s in seconds, x and y in px.

        Returns Started, Beat, Ended or None. Where one tick makes two events, the second comes
        with the next step and keeps its true time.
        """
        if math.isfinite(x) and math.isfinite(y):
            self._place = (float(x), float(y))
        now_s = self._read_time(at_s, self._is_edge(on, source))
        if on:
            self._lit(tick, now_s, source)
        else:
            self._dark(tick, now_s, source, reason)
        if self._open is not None and tick >= self._open.next_beat_tick and not self._waiting:
            self._open.next_beat_tick = tick + self._beat_ticks
            self._waiting.append(_tell(Beat, self._open.event))
        return self._waiting.popleft() if self._waiting else None

    def close(self, at_s: float, reason: str) -> Event | None:
        """End the open session at `at_s` for `reason`; within a hold it ended at its true OFF.

        Returns Ended, or None when nothing is open. After a tick with two events call it again
        until it gives None. A light that is on at `closing` is left on from then on.
        """
        now_s = self._read_time(at_s, self._open is not None and self._open.off_tick is None)
        if self._open is not None:
            if self._open.off_tick is None:
                self._see(self._open, now_s)
                self._open.off_reason = reason
                if reason == "closing":
                    self._left_on = LeftOn(self._open.event.source, now_s)
            self._end()
        while self._waiting:
            event = self._waiting.popleft()
            if isinstance(event, Ended):
                return event
        return None

    @property
    def _beat_ticks(self) -> int:
        return max(1, round(self._settings.heartbeat_s * TICKS_PER_S))

    def _is_edge(self, on: bool, source: str) -> bool:
        now = self._open
        if now is None:
            return on
        return now.event.source != source or on == (now.off_tick is not None)

    def _read_time(self, at_s: float, edge: bool) -> float:
        """A usable time: edges may be told late, but never before the edge that came before."""
        low_s = max(self._edge_s, self._at_s - LATE_NEWS_S) if edge else self._at_s
        if not math.isfinite(at_s) or at_s < low_s:
            self.bad_times += 1
            at_s = self._mend_time(at_s)
        self._at_s = at_s
        if edge:
            self._edge_s = at_s
        return at_s

    def _mend_time(self, at_s: float) -> float:
        """The last good time; but with no session open, a clock that was set far back is believed."""
        if self._open is None and math.isfinite(at_s) and at_s < self._at_s - LATE_NEWS_S:
            self._edge_s = -math.inf
            return at_s
        last_s = max(self._at_s, self._edge_s)
        return last_s if math.isfinite(last_s) else 0.0

    def _lit(self, tick: int, now_s: float, source: str) -> None:
        now = self._open
        if now is None:
            self._begin(tick, now_s, source)
        elif now.event.source != source and len(self._waiting) < WAITING_LIMIT:
            if now.off_tick is None:
                self._see(now, now_s)
                now.off_reason = "source_changed"
            self._end()
            self._begin(tick, now_s, source)
        elif now.off_tick is None:
            self._see(now, now_s)
            self._watch_for_stuck(now, tick, now_s)
        elif self._within_hold(now_s - now.event.at_s, now.event.source):
            self._join(now, now_s)
        else:
            self._end()
            self._begin(tick, now_s, source)

    def _dark(self, tick: int, now_s: float, source: str, reason: str) -> None:
        self._forget_left_on(tick, now_s, source)
        now = self._open
        if now is None:
            return
        if now.off_tick is None:
            self._see(now, now_s)
            now.off_tick = tick
            now.off_reason = self._reason_of_off(now, source, reason)
        dark_s = max(now_s - now.event.at_s, (tick - now.off_tick) / TICKS_PER_S)
        if (
            self._is_over(dark_s, now.event.source)
            or now.off_reason in FINAL_REASONS
            or source != now.event.source
        ):
            self._end()

    def _within_hold(self, gap_s: float, source: str) -> bool:
        """True for a gap, measured by the true times of its edges, that the log bridges."""
        return gap_s < self._settings.hold_s(source) - TIME_GRAIN_S

    def _is_over(self, dark_s: float, source: str) -> bool:
        """True when it has been dark so long that no ON from within the hold can still be told."""
        hold_s = self._settings.hold_s(source)
        late_s = LATE_ON_S.get(source, 0.0) if hold_s > 0 else 0.0
        return dark_s >= hold_s + late_s - TIME_GRAIN_S

    @staticmethod
    def _reason_of_off(now: _Open, source: str, reason: str) -> str:
        if source != now.event.source and reason in ("", "off"):
            return "source_changed"
        return reason or "off"

    def _begin(self, tick: int, now_s: float, source: str) -> None:
        left = self._left_on
        if left is not None and source == left.source and not self._was_dark(left, now_s):
            self._left_on = replace(left, dark=None)
            return
        self._left_on = None
        self._number += 1
        x, y = self._place
        event = Event(self._number, source, source in SIMULATED, now_s, x, y, now_s, x, y)
        self._open = _Open(event, now_s, now_s, tick, (x, y), tick + self._beat_ticks)
        self._waiting.append(_tell(Started, event))

    def _see(self, now: _Open, now_s: float) -> None:
        x, y = self._place
        now.event = replace(now.event, at_s=max(now_s, now.lit_since_s), x=x, y=y)

    def _join(self, now: _Open, now_s: float) -> None:
        now.lit_since_s = now_s
        now.off_tick, now.off_reason = None, ""
        self._see(now, now_s)
        now.event = replace(now.event, joins=now.event.joins + 1)

    def _watch_for_stuck(self, now: _Open, tick: int, now_s: float) -> None:
        x, y = self._place
        if math.hypot(x - now.anchor[0], y - now.anchor[1]) > self._settings.stuck_move_px:
            now.anchor, now.moved_at_s, now.moved_tick = (x, y), now_s, tick
            return
        still_s = max(now_s - now.moved_at_s, (tick - now.moved_tick) / TICKS_PER_S)
        if still_s >= self._settings.stuck_s:
            now.off_reason = "stuck"
            self._left_on = LeftOn(now.event.source, now_s)
            self._end()

    def _forget_left_on(self, tick: int, now_s: float, source: str) -> None:
        """A real OFF, one longer than the hold, makes a light that was left on a visitor's again."""
        left = self._left_on
        if left is None:
            return
        since_s, since_tick = left.dark or (now_s, tick)
        dark_s = max(now_s - since_s, (tick - since_tick) / TICKS_PER_S)
        over = source != left.source or self._is_over(dark_s, source)
        self._left_on = None if over else replace(left, dark=(since_s, since_tick))

    def _was_dark(self, left: LeftOn, now_s: float) -> bool:
        """True when the dark that this ON ends was longer than the hold."""
        return left.dark is not None and not self._within_hold(now_s - left.dark[0], left.source)

    def _end(self) -> None:
        now = self._open
        if now is None:
            return
        self._open = None
        self._edge_s = max(self._edge_s, now.event.at_s)
        self._waiting.append(_tell(Ended, replace(now.event, reason=now.off_reason)))
