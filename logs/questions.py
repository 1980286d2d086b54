"""The curator's questions: sessions and their summary, read beside a running show or after it.

Reads only, with the same SQLite as the writer: two SQLite libraries in one process would take
each other's file locks away.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

from logs import damage, identity
from logs.engine import Engine, choose, connect_to_read

# Times become text in SQLite already: a day's list is a sixth faster by it.
SECOND = "replace(datetime({}, 'unixepoch'), ' ', 'T')"
# The true UTC of the ON, in milliseconds; a step is of whole ones, so the last three digits stay.
ON_MS = "(on_at_us / 1000 + clock_step_ms)"
OFF_MS = "((on_at_us + clock_step_ms * 1000 + CAST(round(duration_s * 1e6) AS INTEGER)) / 1000)"
SESSIONS = f"""
SELECT id, {SECOND.format(f"{ON_MS} / 1000")} || printf('.%03dZ', {ON_MS} % 1000),
    CASE WHEN end_reason <> 'open' THEN
        {SECOND.format(f"{OFF_MS} / 1000")} || printf('.%03dZ', {OFF_MS} % 1000) END,
    {SECOND.format(f"{ON_MS} / 1000 + utc_offset_min * 60")}, {ON_MS} % 1000 * 1000 + on_at_us % 1000,
    duration_s, source, end_reason, joins, start_x, start_y, end_x, end_y, demo, zone, utc_offset_min,
    local_date, local_hour, clock_step_ms
FROM session
"""
# One text a session is read in a third of the time of a row a measure.
MEASURES = "(SELECT json_group_object(name, value) FROM session_metric WHERE session = session.id)"
THIRD = 1 / 3


class UnreadableLog(RuntimeError):
    """The log cannot be read now; the message says why and what to do. Retrying helps only if it is busy."""


def sessions(
    path: Path, limit: int | None = None, day: str | None = None, include_demo: bool = False
) -> list[dict[str, Any]]:
    """The last `limit` sessions (all when None), oldest first, one dict each.

    `day` keeps the sessions that began on this local date (YYYY-MM-DD). `on`, `off` are ISO in
    UTC, `local` ISO with the gallery's offset, all true: with the steps of the clock that came later
    (`clock_step_s`). `duration_s` is seconds from ON to OFF, positions shares of the screen;
    `reason` is "open" and `off` None while the visitor is still there; `measures` what the
    scene measured last, numbers by name, empty for sessions of older programs.
    Raises UnreadableLog, and ValueError for a day that is no date.
    """
    where, values = _conditions(include_demo, day)
    if limit is not None:
        where += " ORDER BY id DESC LIMIT ?"
        values.append(limit)
    with reading(path) as connection:
        rows = connection.execute(f"{SESSIONS} WHERE {where}", values).fetchall()
        measures = _measures(connection, where, values)
    return [_session(row, measures.get(row[0], {})) for row in sorted(rows)]


def summary(path: Path, min_s: float = 5.0, include_demo: bool = False) -> dict[str, Any]:
    """Figures of all ended sessions of at least `min_s`; simulated visitors only on demand.

    Keys: n, total_s, mean_s, median_s (the two middle values averaged), min_s, max_s (None when
    n is 0), per_day {local date of ON: count}, reasons {why it ended: count}, short_contacts,
    open, cutoff_s; all these are of the sessions that are kept. `purged` has what is left of the
    others: days, contacts, and sessions with their total_s by the limit of their time.
    Raises UnreadableLog.
    """
    ended = "end_reason <> 'open'" + ("" if include_demo else " AND demo = 0")
    with reading(path) as connection:
        one = connection.execute(
            f"SELECT count(*), sum(duration_s), min(duration_s), max(duration_s) FROM session "
            f"WHERE {ended} AND duration_s >= ?",
            [min_s],
        ).fetchone()
        counts = {
            key: dict(
                connection.execute(
                    f"SELECT {column}, count(*) FROM session WHERE {ended} AND duration_s >= ? "
                    f"GROUP BY {column} ORDER BY {column}",
                    [min_s],
                ).fetchall()
            )
            for key, column in (("per_day", "local_date"), ("reasons", "end_reason"))
        }
        short = _count(connection, f"{ended} AND duration_s < ?", [min_s])
        still_open = _count(connection, "end_reason = 'open'" + ("" if include_demo else " AND demo = 0"))
        median_s = _median(connection, ended, min_s, one[0])
        purged = _purged(connection)
    return {
        "n": one[0],
        "total_s": one[1] or 0.0,
        "mean_s": one[1] / one[0] if one[0] else None,
        "median_s": median_s,
        "min_s": one[2],
        "max_s": one[3],
        **counts,
        "short_contacts": short,
        "open": still_open,
        "cutoff_s": min_s,
        "purged": purged,
    }


def _purged(connection: Any) -> dict[str, Any]:
    """Sums of the days that a purge has taken; zeros in a file from before there were any."""
    names, row = ("days", "contacts", "sessions", "total_s"), (0, 0, 0, 0.0)
    if has_table(connection, "day_rollup"):
        row = connection.execute(
            "SELECT count(DISTINCT local_date), coalesce(sum(contacts), 0), coalesce(sum(sessions), 0), "
            "total(total_s) FROM day_rollup"
        ).fetchone()
    return dict(zip(names, row, strict=True))


def _conditions(include_demo: bool, day: str | None) -> tuple[str, list[Any]]:
    where, values = ["1" if include_demo else "demo = 0"], []
    if day is not None:
        where.append("local_date = ?")
        values.append(date.fromisoformat(day).isoformat())
    return " AND ".join(where), values


def _session(row: tuple[Any, ...], measures: dict[str, float]) -> dict[str, Any]:
    number, on, off, local, part_us, duration_s, source, reason, joins, *place = row
    start_x, start_y, end_x, end_y, demo, zone, offset_min, local_date, local_hour, step_ms = place
    return {
        "id": number,
        "on": on,
        "off": off,
        "local": f"{local}.{part_us:06d}{_offset(offset_min)}" if part_us else local + _offset(offset_min),
        "duration_s": duration_s,
        "source": source,
        "reason": reason,
        "joins": joins,
        "start": [start_x, start_y],
        "end": [end_x, end_y],
        "demo": bool(demo),
        "zone": zone,
        "local_date": local_date,
        "local_hour": local_hour,
        "clock_step_s": step_ms / 1000,
        "measures": measures,
    }


def _measures(connection: Any, where: str, values: list[Any]) -> dict[int, dict[str, float]]:
    """The measures of the chosen sessions by their id; none in a file from before there were any."""
    if not has_table(connection, "session_metric"):
        return {}
    if _tells_exactly(connection):
        found = connection.execute(f"SELECT id, {MEASURES} FROM session WHERE {where}", values).fetchall()
        told = json.loads(f"[{','.join(text for _, text in found)}]")
        return {session: measures for (session, _), measures in zip(found, told, strict=True)}
    measures: dict[int, dict[str, float]] = {}
    text = f"SELECT * FROM session_metric WHERE session IN (SELECT id FROM session WHERE {where})"
    for session, name, value in connection.execute(text, values):
        measures.setdefault(session, {})[name] = value
    return measures


def _tells_exactly(connection: Any) -> bool:
    """Whether this SQLite writes a number into JSON with all its digits; older ones stop at 15."""
    told = connection.execute("SELECT json_array(?)", [THIRD]).fetchone()[0]
    return bool(json.loads(told) == [THIRD])


@lru_cache
def _offset(offset_min: int) -> str:
    """As ISO 8601 has it: "+09:00"."""
    return datetime(1970, 1, 1, tzinfo=timezone(timedelta(minutes=offset_min))).isoformat()[19:]


def has_table(connection: Any, table: str) -> bool:
    """Whether the log is new enough to have this table."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone() is not None


def _count(connection: Any, where: str, values: list[Any] | None = None) -> int:
    return int(connection.execute(f"SELECT count(*) FROM session WHERE {where}", values or []).fetchone()[0])


def _median(connection: Any, ended: str, min_s: float, n: int) -> float | None:
    if n == 0:
        return None
    middle = connection.execute(
        f"SELECT duration_s FROM session WHERE {ended} AND duration_s >= ? "
        "ORDER BY duration_s LIMIT ? OFFSET ?",
        [min_s, 2 - n % 2, (n - 1) // 2],
    ).fetchall()
    return float(sum(row[0] for row in middle) / len(middle))


@contextmanager
def reading(path: Path) -> Iterator[Any]:
    """A short read of one consistent state; every fault of the file becomes UnreadableLog."""
    engine = choose()
    if missing := absence(path):
        raise UnreadableLog(missing)
    if path.stat().st_size == 0:
        raise UnreadableLog(f"{path}: the log file is empty; look for older copies beside it")
    connection = None
    try:
        connection = _open(engine, path)
        connection.execute("BEGIN")
        yield connection
    except engine.module.Error as fault:
        raise UnreadableLog(_reason(fault, path)) from fault
    finally:
        if connection is not None:
            connection.close()


def absence(path: Path) -> str:
    """Why there is no file at `path`, in words; empty where there is one."""
    none_yet = f"{path}: there is no log yet; it begins with the first run of the show"
    return loss(path) or ("" if path.exists() else none_yet)


def loss(path: Path) -> str:
    """Why a log that was there, or may be, is not found; empty where one is, and where none ever was."""
    try:
        path.stat()
    except FileNotFoundError:
        why = _why_lost(path)
        return f"{path}: {why}" if why else ""
    except OSError as fault:
        return f"{path}: the log cannot be reached ({fault.strerror}); check the rights of its folder"
    return ""


def _why_lost(path: Path) -> str:
    from logs.exchange import FINISHED

    if path.is_symlink():
        return f"the link to {os.readlink(path)} leads nowhere; mount its disk, or mend the link"
    if path.with_name(path.name + FINISHED).exists():
        return "a new log waits for its place; the next start, or `logs recover`, puts it there"
    if identity.beside(path).exists() or damage.leftovers(path):
        return "the log of the last run is gone; look for it before the next start, which begins another"
    return ""


def _reason(fault: Exception, path: Path) -> str:
    advice = {
        "busy": "another program holds it; try again",
        "damaged": "it is damaged; the next start of the show moves it aside and keeps it",
    }.get(damage.kind_of(fault), "check the rights of the file and its folder")
    return f"{path}: the log cannot be read ({fault}): {advice}"


def _open(engine: Engine, path: Path) -> Any:
    """In a folder that cannot be written a log at rest is read as immutable, with a warning."""
    connection = connect_to_read(engine, path)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except engine.module.Error as fault:
        connection.close()
        if damage.kind_of(fault) != "failed" or os.access(path.parent, os.W_OK) or _has_journal(path):
            raise
        warnings.warn(f"{path}: read from a folder without write access, as it is now", stacklevel=5)
        return connect_to_read(engine, path, immutable=True)
    return connection


def _has_journal(path: Path) -> bool:
    """True when rows may stand in a journal only; reading without it would show old or broken data."""
    return any(file.stat().st_size > 0 for file in damage.leftovers(path) if not file.name.endswith("-shm"))
