"""A session as one JSON line: the original's field names, with what only this log knows after them.

The original writes `type id onTime offTime duration startX startY endX endY`: times as ISO in UTC
or, later, as Tokyo's wall time without a zone; seconds to a tenth; positions in px of a screen whose
size it does not tell; ids that begin at 1 with each start. A line of ours is known by its `uuid`.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from logs.clock import EPOCH, local_time
from logs.records import finite

ORIGINAL_ZONE = ZoneInfo("Asia/Tokyo")
NAMESPACE = uuid.UUID("8f0c2a51-7c1b-5d5e-9a53-0d4c2f6be1a7")
POSITIONS = {"start_x": "startX", "start_y": "startY", "end_x": "endX", "end_y": "endY"}
SHARE = "share"
FUTURE_ALLOWED_US = 300_000_000
# What the original's own clock rounds away: a tenth of a second, and the two readings at OFF.
DURATION_FITS_S = 1.0
LARGEST_PX = 100_000.0
LARGEST_INTEGER = 2**53
LAST_US = (datetime.max.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


class BadLine(ValueError):
    """The line is no session that can be taken; the message says why."""


class Line(NamedTuple):
    """`row` holds every column of `session` but run; its `id` is None when a new one is to be given."""

    row: dict[str, Any]
    measures: dict[str, float]


def to_line(row: Mapping[str, Any], measures: Mapping[str, float]) -> str:
    """The JSON line of a closed row of `session`, without the newline; times with the gallery's offset."""
    on_us, off_us = true_times(row)
    fields = {
        "type": "session",
        "id": row["id"],
        "onTime": local_iso(on_us, row["utc_offset_min"]),
        "offTime": local_iso(off_us, row["utc_offset_min"]),
        "duration": row["duration_s"],
        **{name: row[column] for column, name in POSITIONS.items()},
        "positions": SHARE,
        "uuid": row["uuid"],
        "source": row["source"],
        "reason": row["end_reason"],
        "joins": row["joins"],
        "demo": bool(row["demo"]),
        "zone": row["zone"],
        "clockStepMs": row["clock_step_ms"],
        "measures": dict(measures),
    }
    return json.dumps(fields, ensure_ascii=False)


def true_times(row: Mapping[str, Any]) -> tuple[int, int]:
    """ON and OFF of a row of `session` in microseconds of true UTC.

    `off_at_us` may have been dated by another clock than the ON, so the OFF is ON and duration.
    """
    on_us = row["on_at_us"] + row["clock_step_ms"] * 1000
    return on_us, on_us + round(row["duration_s"] * 1e6)


def local_iso(at_us: int, offset_min: int) -> str:
    """ISO 8601 with microseconds and the offset."""
    instant = EPOCH + timedelta(microseconds=at_us)
    return instant.astimezone(timezone(timedelta(minutes=offset_min))).isoformat(timespec="microseconds")


def from_line(text: str, screen_px: tuple[float, float], now_us: int) -> Line:
    """The session of a line of the original or of ours. Raises BadLine.

    `screen_px` is the size of the screen whose px the original wrote; nothing may lie after `now_us`.
    """
    fields = _fields(text)
    on, off = _time(fields, "onTime"), _time(fields, "offTime")
    if max(_us(on), _us(off)) > now_us + FUTURE_ALLOWED_US:
        raise BadLine(f"onTime or offTime lies in the future ({fields['onTime']}, {fields['offTime']})")
    if "uuid" in fields:
        return _ours(fields, on, off)
    return _theirs(fields, on, off, screen_px)


def _fields(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as fault:
        raise BadLine(f"it is no JSON ({fault})") from fault
    except RecursionError as fault:
        raise BadLine("it is no JSON of a session (too many brackets in brackets)") from fault
    except BadLine:
        raise
    except ValueError as fault:
        raise BadLine("it is no JSON of a session (a number with too many digits)") from fault
    if not isinstance(found, dict):
        raise BadLine("it is no JSON object")
    if found.get("type") != "session":
        raise BadLine(f"its type is {_shown(found.get('type'))}, not 'session'")
    return found


def _refuse_constant(name: str) -> float:
    raise BadLine(f"it is no JSON ({name} is no number)")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _value(fields: Mapping[str, Any], name: str) -> Any:
    if name not in fields:
        raise BadLine(f"it has no {name}")
    return fields[name]


def _number(fields: Mapping[str, Any], name: str) -> float:
    value = _value(fields, name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadLine(f"{name} is {_shown(value)}, no number")
    if not abs(value) <= LARGEST_INTEGER:
        raise BadLine(f"{name} is {_shown(value)}, which cannot be")
    return float(value)


def _integer(fields: Mapping[str, Any], name: str) -> int:
    value = _value(fields, name)
    if type(value) is not int or abs(value) > LARGEST_INTEGER:
        raise BadLine(f"{name} is {_shown(value)}, no whole number")
    return value


def _word(fields: Mapping[str, Any], name: str) -> str:
    value = _value(fields, name)
    if not isinstance(value, str) or not 0 < len(value) <= 64 or not value.isprintable():
        raise BadLine(f"{name} is {_shown(value)}, no short text")
    return value


def _duration_s(fields: Mapping[str, Any]) -> float:
    duration_s = _number(fields, "duration")
    if duration_s < 0:
        raise BadLine(f"duration is negative ({duration_s} s)")
    return duration_s


def _time(fields: Mapping[str, Any], name: str) -> datetime:
    """With its offset; a time without one is Tokyo's, as the original wrote it."""
    text = _value(fields, name)
    try:
        if not isinstance(text, str) or len(text) < len("2026-04-01T10:23"):
            raise ValueError
        found = datetime.fromisoformat(text)
        found = found if found.tzinfo else found.replace(tzinfo=ORIGINAL_ZONE)
        if found.astimezone(UTC) < EPOCH:
            raise ValueError
    except (ValueError, OverflowError) as fault:
        raise BadLine(f"{name} is {_shown(text)}, no date and time that can be") from fault
    return found


def _us(at: datetime) -> int:
    return (at - EPOCH) // timedelta(microseconds=1)


def _ours(fields: dict[str, Any], on: datetime, off: datetime) -> Line:
    try:
        name = str(uuid.UUID(_word(fields, "uuid")))
    except ValueError as fault:
        raise BadLine(f"uuid is {_shown(fields['uuid'])}, no UUID") from fault
    if _value(fields, "positions") != SHARE:
        raise BadLine(f"positions is {_shown(fields['positions'])}, not {SHARE!r}")
    reason, demo, measures = _word(fields, "reason"), _value(fields, "demo"), _value(fields, "measures")
    if reason == "open" or not isinstance(demo, bool) or not isinstance(measures, dict):
        raise BadLine("reason, demo or measures is not as this program writes them")
    offset = on.utcoffset() or timedelta(0)
    step_ms = _integer(fields, "clockStepMs")
    if not 0 <= _us(on) - step_ms * 1000 <= LAST_US:
        raise BadLine(f"clockStepMs is {step_ms}, which cannot be")
    joins = _integer(fields, "joins")
    if joins < 0:
        raise BadLine(f"joins is negative ({joins})")
    row = {
        "id": _integer(fields, "id"),
        "uuid": name,
        "source": _word(fields, "source"),
        "demo": int(demo),
        "joins": joins,
        "zone": _word(fields, "zone"),
        "utc_offset_min": round(offset.total_seconds() / 60),
        "local_date": on.date().isoformat(),
        "local_hour": on.hour,
        **{column: _number(fields, field) for column, field in POSITIONS.items()},
        "clock_step_ms": step_ms,
        "end_reason": reason,
    }
    return Line({**row, **_span(on, off, _duration_s(fields), step_ms)}, _measures(measures))


def _measures(found: Mapping[str, Any]) -> dict[str, float]:
    """Finite numbers by name, all or none."""
    numbers = {name: value for name, value in found.items() if type(value) in (int, float)}
    measures = finite(numbers)
    if len(measures) < len(found) or not all(name.isprintable() and len(name) <= 64 for name in measures):
        raise BadLine(f"measures is {_shown(found)}, not finite numbers by name")
    return measures


def _theirs(fields: dict[str, Any], on: datetime, off: datetime, screen_px: tuple[float, float]) -> Line:
    duration_s = _duration_s(fields)
    if off < on:
        raise BadLine(f"it ends before it begins ({fields['onTime']}, {fields['offTime']})")
    if not math.isclose((off - on).total_seconds(), duration_s, rel_tol=0, abs_tol=DURATION_FITS_S):
        raise BadLine(f"duration {duration_s} s does not fit its onTime and offTime")
    places_px = {column: _number(fields, name) for column, name in POSITIONS.items()}
    if max(map(abs, places_px.values())) > LARGEST_PX:
        raise BadLine("a position is far beside any screen")
    known = [_integer(fields, "id"), _us(on), _us(off), duration_s, *places_px.values()]
    local = local_time(_us(on), ORIGINAL_ZONE)
    row = {
        "id": None,
        "uuid": str(uuid.uuid5(NAMESPACE, json.dumps(known))),
        "source": "mouse",
        "demo": 0,
        "joins": 0,
        "zone": str(ORIGINAL_ZONE),
        "utc_offset_min": local.utc_offset_min,
        "local_date": local.date,
        "local_hour": local.hour,
        **{column: px / screen_px[column.endswith("y")] for column, px in places_px.items()},
        "clock_step_ms": 0,
        "end_reason": "off",
    }
    return Line({**row, **_span(on, off, duration_s)}, {})


def _span(on: datetime, off: datetime, duration_s: float, step_ms: int = 0) -> dict[str, Any]:
    """The columns of time, as the clock before its step had them, of two true times.

    Nothing is known of the monotonic clock of the machine that saw it.
    """
    on_us, off_us = (_us(at) - step_ms * 1000 for at in (on, off))
    at = {"on_at_us": on_us, "off_at_us": off_us, "seen_at_us": off_us}
    return {**at, "duration_s": duration_s, "on_mono_s": 0.0, "seen_mono_s": duration_s}
