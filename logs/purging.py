"""Visits whose time is over: counted into `day_rollup`, deleted, and sought in the bytes of all files.

Only while no show runs: the lock of the home is held meanwhile. The order lets a purge that was
interrupted anywhere be finished by the next one: a recording goes while its row is still there to
name it, and each purge writes the file anew and searches it, also when no visit is due.
"""

from __future__ import annotations

import calendar
import os
import stat
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any

from logs import copies, residue, schema, waiting
from logs.closed_log import CannotWrite, locked, opened
from logs.durable import sync_folder
from logs.engine import Engine, choose
from logs.questions import UnreadableLog, absence, has_table, reading
from logs.spill import Spill

RECORDINGS = "recordings"
# How long a program that reads the log may keep the purge waiting.
PATIENCE_MS = 5000
DUE = "local_date < :before AND end_reason <> 'open'"

# A row that is there already keeps its own `short_s`, also for the sessions that come to it.
ROLL_UP = f"""
INSERT INTO day_rollup
SELECT local_date, utc_offset_min, local_hour, count(*), total(duration_s >= short_s), short_s,
    total(CASE WHEN duration_s >= short_s THEN duration_s END),
    min(CASE WHEN duration_s >= short_s THEN duration_s END),
    max(CASE WHEN duration_s >= short_s THEN duration_s END),
    total(duration_s < 5), total(duration_s >= 5 AND duration_s < 15),
    total(duration_s >= 15 AND duration_s < 30), total(duration_s >= 30 AND duration_s < 60),
    total(duration_s >= 60)
FROM (SELECT session.*, coalesce(known.short_s, (SELECT short_s FROM view_setting)) AS short_s
    FROM session LEFT JOIN day_rollup AS known USING (local_date, utc_offset_min, local_hour)
    WHERE {DUE} AND demo = 0)
WHERE true GROUP BY local_date, utc_offset_min, local_hour
ON CONFLICT (local_date, utc_offset_min, local_hour) DO UPDATE SET
    contacts = contacts + excluded.contacts, sessions = sessions + excluded.sessions,
    total_s = total_s + excluded.total_s,
    min_s = min(coalesce(min_s, excluded.min_s), coalesce(excluded.min_s, min_s)),
    max_s = max(coalesce(max_s, excluded.max_s), coalesce(excluded.max_s, max_s)),
    under_5_s = under_5_s + excluded.under_5_s, under_15_s = under_15_s + excluded.under_15_s,
    under_30_s = under_30_s + excluded.under_30_s, under_60_s = under_60_s + excluded.under_60_s,
    from_60_s = from_60_s + excluded.from_60_s
"""
RECORDED = f"SELECT file FROM recording JOIN session ON session.id = recording.session WHERE {DUE}"
FINISHED_RUNS = """
SELECT id, uuid FROM run WHERE ended_at_us IS NOT NULL AND max(started_at_us, ended_at_us) < :cut_us
    AND id NOT IN (SELECT run FROM session) AND id NOT IN (SELECT run FROM event)
"""


@dataclass(frozen=True, slots=True)
class Due:
    """What a purge would take: sessions of `days` local dates, and the `copies` that may hold such.

    `waiting` tells of files with entries that come first, or may hold such visits; a sentence each.
    """

    before: str
    sessions: int
    days: int
    first_day: str | None
    last_day: str | None
    recordings: int
    copies: list[str]
    waiting: list[str]


@dataclass(slots=True)
class Purged:
    """What a purge has deleted, and what is wrong after it; no `problems`: nothing was found in any file."""

    before: str
    sessions: int = 0
    days: int = 0
    recordings: int = 0
    events: int = 0
    runs: int = 0
    copies_removed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def due_from(show_until: date, keep_months: int) -> date:
    """The first local date on which the visits of a show may go: after its last day and the months are over.

    A month is counted to the same day, or to the last one of a shorter month.
    """
    years, month = divmod(show_until.month - 1 + keep_months, 12)
    year = show_until.year + years
    day = min(show_until.day, calendar.monthrange(year, month + 1)[1])
    return date(year, month + 1, day) + timedelta(days=1)


def look(path: Path, before: date, zone: tzinfo, spill_at: Sequence[Path] = ()) -> Due:
    """What `purge` would take of sessions that began before this local date; only reads.

    It may be asked beside a running show. Raises UnreadableLog.
    """
    values = _values(before, zone)
    figures = "count(*), count(DISTINCT local_date), min(local_date), max(local_date)"
    with reading(path) as connection:
        text = f"SELECT {figures} FROM session WHERE {DUE}"
        sessions, days, first, last = connection.execute(text, values).fetchone()
        named = connection.execute(f"SELECT uuid FROM session WHERE {DUE}", values).fetchall()
        known = has_table(connection, "recording")
        recorded = connection.execute(RECORDED, values).fetchall() if known else []
    held = [copy.name for copy in _held(choose(), path, before)]
    spill = Spill(path, spill_at)
    comes = waiting.would_come_back(spill, before, values["cut_us"], {name.encode() for (name,) in named})
    try:
        comes += _unread(spill, before, held)
    except OSError as fault:
        raise UnreadableLog(f"what waits for the log cannot be read ({fault}); mend its rights") from fault
    return Due(values["before"], sessions, days, first, last, len(recorded), held, comes)


def _values(before: date, zone: tzinfo) -> dict[str, Any]:
    """Of the queries: the local date, and when it began in microseconds of UTC."""
    began = datetime.combine(before, time(), zone).astimezone(UTC)
    return {"before": before.isoformat(), "cut_us": round(began.timestamp() * 1e6)}


def _unread(spill: Spill, before: date, told: Collection[str]) -> list[str]:
    """Sentences on files with lines that cannot be read, but for those that are told by name or path."""
    found = waiting.unread_before(spill, before)
    return [text for file, text in found.items() if file.name not in told and str(file) not in told]


def purge(
    path: Path, before: date, zone: tzinfo, with_copies: bool = False, spill_at: Sequence[Path] = ()
) -> Purged:
    """Delete all sessions that began before this local date, from every file of the home's log.

    Events and starts of the program have no local date; `zone` tells when that day began for them.
    `with_copies` deletes the program's copies that may hold such sessions too; `spill_at` are the folders
    for spill files beside the home.
    Raises AlreadyRunning while a show runs, and CannotWrite; then no session was deleted.
    """
    if missing := absence(path):
        raise CannotWrite(missing)
    told, spill = Purged(before.isoformat()), Spill(path, spill_at)
    with locked(path) as engine:
        with opened(engine, path) as connection:
            gone = _Purge(connection, path, told, spill).take(before, zone)
            told.problems += [*_still_open(connection, before), *_write_anew(connection, engine)]
        told.problems += _remove_copies(engine, path, before, told) if with_copies else []
        told.problems += _search(engine, path, before, gone, spill)
    return told


class _Purge:
    """One transaction: all rows of that time, and the recordings that they name."""

    def __init__(self, connection: Any, path: Path, told: Purged, spill: Spill) -> None:
        self._connection, self._path, self._told, self._spill = connection, path, told, spill
        self._gone: set[bytes] = set()

    def take(self, before: date, zone: tzinfo) -> set[bytes]:
        """Returns the names (UUIDs) of all rows that were deleted."""
        values = _values(before, zone)
        self._connection.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
        self._connection.execute("PRAGMA secure_delete = ON")
        # With a rollback journal a reader could refuse the commit, when the recordings are gone already.
        self._connection.execute("BEGIN EXCLUSIVE")
        schema.with_rollback(self._connection, lambda: self._delete(before, values))
        return self._gone

    def _delete(self, before: date, values: dict[str, Any]) -> None:
        told = self._told
        self._connection.execute(ROLL_UP, values)
        files = self._ask(RECORDED, values)
        told.days = self._ask(f"SELECT count(DISTINCT local_date) FROM session WHERE {DUE}", values)[0][0]
        told.sessions = self._delete_named("session", DUE, values)
        told.events = self._delete_named("event", "at_us < :cut_us", values)
        told.runs = self._delete_runs(values)
        self._refuse_what_waits(before, values["cut_us"])
        named = {self._path.parent / file for (file,) in files}
        told.recordings = self._remove_recordings(named | self._drafts())

    def _delete_named(self, table: str, where: str, values: dict[str, Any]) -> int:
        names = self._connection.execute(f"SELECT uuid FROM {table} WHERE {where}", values)
        self._gone.update(name.encode() for (name,) in names)
        return int(self._connection.execute(f"DELETE FROM {table} WHERE {where}", values).rowcount)

    def _delete_runs(self, values: dict[str, Any]) -> int:
        found = self._ask(FINISHED_RUNS, values)
        for run, name in found:
            self._gone.add(name.encode())
            self._connection.execute("DELETE FROM clock_anchor WHERE run = ?", [run])
            self._connection.execute("DELETE FROM run WHERE id = ?", [run])
        return len(found)

    def _refuse_what_waits(self, before: date, cut_us: int) -> None:
        """An entry that the next start would write must come first, or a visit of that time comes back."""
        comes = waiting.would_come_back(self._spill, before, cut_us, self._gone)
        if comes:
            raise CannotWrite(f"{'; '.join(comes)}. Mend that, then purge again. Nothing was deleted")

    def _drafts(self) -> set[Path]:
        """Recordings that a killed show left and the log does not know: the session is their name."""
        found = (self._path.parent / RECORDINGS).glob("**/*")
        return {file for file in found if not self._gone.isdisjoint(residue.names_of(file))}

    def _remove_recordings(self, files: set[Path]) -> int:
        """On the disk before the rows go; a folder goes with its last one. Returns how many were there.

        A row may name anything: what lies elsewhere, or is neither a file nor a link, stays and is told.
        """
        folder = (self._path.parent / RECORDINGS).resolve()
        named = {file for file in files if os.path.lexists(file)}
        there = {file for file in named if _is_recording(file, folder)}
        for file in sorted(named - there):
            self._told.problems.append(f"{file}: no recording of this home; it was left where it is")
        for file in there:
            file.unlink()
        for parent in {file.parent for file in there}:
            sync_folder(parent)
            with suppress(OSError):
                parent.rmdir()
        return len(there)

    def _ask(self, text: str, values: dict[str, Any]) -> list[Any]:
        return list(self._connection.execute(text, values).fetchall())


def _is_recording(file: Path, folder: Path) -> bool:
    """A file, or a link that somebody put in its place, in the resolved `folder` or one below it."""
    mode = file.lstat().st_mode
    return file.parent.resolve().is_relative_to(folder) and (stat.S_ISREG(mode) or stat.S_ISLNK(mode))


def _still_open(connection: Any, before: date) -> list[str]:
    text = "SELECT 1 FROM session WHERE local_date < ? AND end_reason = 'open'"
    if connection.execute(text, [before.isoformat()]).fetchone() is None:
        return []
    return [f"a visit from before {before} is still open; give `logs recover`, then purge again"]


def _write_anew(connection: Any, engine: Engine) -> list[str]:
    """The deleted rows' places are zeros in the log by now: these go over the old bytes, then out."""
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
        waits = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except engine.module.Error as fault:
        return [
            f"the visits are deleted, but the file could not be written anew ({fault}); mend it, purge again"
        ]
    return ["another program reads the log; close it there, then purge again"] if waits else []


def _held(engine: Engine, path: Path, before: date) -> list[Path]:
    found = copies.beside(path)
    return [copy for copy in found if copies.may_hold_before(engine, copy, before.isoformat())]


def _remove_copies(engine: Engine, path: Path, before: date, told: Purged) -> list[str]:
    problems = []
    for copy in _held(engine, path, before):
        try:
            copies.remove(copy)
            told.copies_removed.append(copy.name)
        except OSError as fault:
            problems.append(f"{copy.name} cannot be deleted ({fault.strerror or fault})")
    sync_folder(path.parent)
    return problems


def _search(engine: Engine, path: Path, before: date, gone: set[bytes], spill: Spill) -> list[str]:
    """What is still there of the deleted rows, or may be, a sentence each."""
    held = _held(engine, path, before)
    problems = [f"{copy.name} may hold visits from before {before}; --copies deletes it" for copy in held]
    told = {file.name for copy in held for file in copies.files_of(copy)}
    try:
        found = {**residue.in_the_log(path, gone), **residue.beside_the_log(path, gone, spill)}
        problems += _unread(spill, before, told | found.keys())
    except (OSError, UnreadableLog) as fault:
        return [*problems, f"not all files could be searched ({fault}); mend that, then purge again"]
    problems += [
        f"{name} still holds {count} deleted rows; close what uses it, then purge again"
        for name, count in found.items()
        if name not in told
    ]
    return problems
