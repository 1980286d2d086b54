"""What waits between the show and the database: sessions and notes, dated and ready to be written."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Any

from logs.clock import ClockPair, local_time
from logs.visits import Beat, Ended, Event


@dataclass(frozen=True, slots=True)
class Anchor:
    """What the clocks said at one moment: monotonic seconds, seconds since boot, UTC microseconds.

    `synchronised` is whether the wall clock was set by the network then, None where nobody can tell.
    """

    mono_s: float
    boot_s: float
    at_us: int
    synchronised: bool | None


@dataclass(frozen=True, slots=True)
class Run:
    """One start of the program, as it will stand in the `run` table."""

    started_at_us: int
    started_mono_s: float
    zone: str
    version: str = ""
    settings: str = "{}"
    settings_hash: str = ""
    boot_id: str = ""
    uuid: uuid.UUID = field(default_factory=uuid.uuid4)
    anchor: Anchor | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A line of the event table: `detail` is JSON.

    One that tells of a step of the wall clock has it as `step_ms`, and as `anchor` the clocks after it.
    """

    uuid: str
    at_us: int
    mono_s: float
    kind: str
    detail: str
    step_ms: int = 0
    anchor: Anchor | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """The recording of a session: `file` relative to the home; no session: that file is there no more."""

    file: str
    session: str = ""
    ticks: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """An event of a session with the row it makes; `row` holds every column but id and run.

    `measures` are what the scene measured at that moment, finite numbers by name; `dwell` is the
    packed grid of where the light pointed, empty while nothing is known.
    """

    event: Event
    row: dict[str, Any]
    measures: dict[str, float] = field(default_factory=dict)
    dwell: bytes = b""

    @property
    def uuid(self) -> str:
        return str(self.row["uuid"])

    def replaces(self, other: Any) -> bool:
        """True for a heartbeat that makes an older one, still waiting, superfluous."""
        return (
            isinstance(self.event, Beat)
            and isinstance(other, SessionRecord)
            and isinstance(other.event, Beat)
            and other.uuid == self.uuid
        )

    def completed_by(self, older: Any) -> SessionRecord:
        """This record with what only the older one has: measures, a grid."""
        measures = {**older.measures, **self.measures}
        return replace(self, measures=measures, dwell=self.dwell or older.dwell)


Entry = SessionRecord | Note | Recording


def session_uuid(run: uuid.UUID, event: Event) -> str:
    """The name of a session, the same for each of its events, so that writing twice changes nothing."""
    return str(uuid.uuid5(run, f"{event.number} {event.started_at_s!r}"))


def session_record(
    event: Event, run: uuid.UUID, clock: ClockPair, zone: tzinfo, size_px: tuple[float, float]
) -> SessionRecord:
    """Date the event with the clock as last read and express positions as shares of the screen."""
    width, height = max(1.0, size_px[0]), max(1.0, size_px[1])
    on_at_us, at_us = clock.to_utc_us(event.started_at_s), clock.to_utc_us(event.at_s)
    local = local_time(on_at_us, zone)
    row = {
        "uuid": session_uuid(run, event),
        "source": event.source,
        "demo": int(event.demo),
        "on_at_us": on_at_us,
        "off_at_us": at_us if isinstance(event, Ended) else None,
        "on_mono_s": event.started_at_s,
        "duration_s": event.duration_s,
        "zone": str(zone),
        "utc_offset_min": local.utc_offset_min,
        "local_date": local.date,
        "local_hour": local.hour,
        "start_x": event.start_x / width,
        "start_y": event.start_y / height,
        "end_x": event.x / width,
        "end_y": event.y / height,
        "joins": event.joins,
        "seen_at_us": at_us,
        "seen_mono_s": event.at_s,
        "end_reason": (event.reason or "off") if isinstance(event, Ended) else "open",
    }
    return SessionRecord(event, row)


def finite(measures: Mapping[Any, Any]) -> dict[str, float]:
    """Those measures that are finite numbers, as floats by name; the others are left out."""
    good = {}
    for name, value in measures.items():
        try:
            number = float(value)
        except (ArithmeticError, TypeError, ValueError):
            continue
        if math.isfinite(number):
            good[str(name)] = number
    return good


def note(
    kind: str,
    at_us: int,
    mono_s: float,
    detail: Mapping[str, Any],
    step_ms: int = 0,
    anchor: Anchor | None = None,
) -> Note:
    """A note with a name of its own; `detail` must be plain values."""
    text = json.dumps(dict(detail), ensure_ascii=False, default=str)
    return Note(str(uuid.uuid4()), at_us, float(mono_s), str(kind), text, step_ms, anchor)
