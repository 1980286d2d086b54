"""The log put right while no show runs: what the next start would do, and what a kept file still has.

A file that was moved aside, an older copy or an exported one is only read. What the log does not have of
it, by the names (uuid) of runs, sessions and events, is put in; a session keeps its id where that is free.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from logs import identity, schema
from logs.closed_log import CannotWrite, begin, locked, opened
from logs.engine import Engine, connect
from logs.handed_in import why_no_file
from logs.putting import CLOSE_OPEN, CLOSE_RUNS
from logs.salvage import Salvage
from logs.spill import Spill
from logs.store import Store

# Nobody waits for a picture meanwhile.
PATIENCE_S = 3600.0
OWN = (
    "(SELECT id FROM main.{table} AS mine WHERE mine.uuid = (SELECT uuid FROM old.{table} WHERE id = {key}))"
)
OWN_RUN = OWN.format(table="run", key="theirs.run")
OWN_SESSION = OWN.format(table="session", key="theirs.session")


@dataclass(slots=True)
class Recovered:
    """What was done: `sessions` in the log now, `closed` of them found open, `spilled` entries put in.

    `moved` tells what was put aside, `taken` how many sessions each file given had that were not in
    the log, `problems` why one gave nothing.
    """

    sessions: int = 0
    closed: int = 0
    spilled: int = 0
    moved: list[str] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def is_well(self) -> bool:
        return not (self.moved or self.problems)


def recover(
    path: Path,
    files: Sequence[Path],
    spill_at: Sequence[Path],
    now_us: Callable[[], int],
    short_s: float = schema.SHORT_S,
) -> Recovered:
    """Repair the log at `path`, then take in what the files have that it has not.

    Raises AlreadyRunning while a show writes this log, CannotWrite where there is none or it cannot be
    written; files told before are in.
    """
    found = Recovered()
    with locked(path) as engine:
        spill = Spill(path, spill_at)
        if not (path.exists() or identity.read(path) or spill.files()):
            if not files:
                raise CannotWrite(f"{path}: there is no log; it begins with the first show")
            begin(engine, path)
        _repair(Store(path, engine, None, now_us, spill, short_s), found)
        with opened(engine, path) as connection:
            for file in files:
                _take(connection, engine, path, file, found)
                identity.keep(path, identity.of(connection))
            found.sessions = _count(connection)
    return found


def _repair(store: Store, found: Recovered) -> None:
    try:
        store.open()
        store.remember()
    finally:
        store.close()
    found.moved = list(store.moved)
    found.closed = store.repaired.get("sessions", 0)
    found.spilled = store.repaired.get("spilled", 0)


def _take(connection: Any, engine: Engine, path: Path, file: Path, found: Recovered) -> None:
    if why := why_no_file(file):
        found.problems.append(f"{file}: {why}")
        return
    with tempfile.TemporaryDirectory(prefix="recover-", dir=path.parent) as folder:
        readable = Path(folder, "readable.db")
        saved = _salvage(engine, file, readable)
        if not saved["session"]:
            found.problems.append(f"{file}: no session can be read of it")
            return
        found.taken[str(file)] = _merge(connection, readable)


def _salvage(engine: Engine, file: Path, readable: Path) -> dict[str, int]:
    """All that can be read of the file, as a sound database of this version."""
    new = connect(engine, readable)
    try:
        schema.migrate(new)
        saved = Salvage(file, engine, limit_s=PATIENCE_S).into(new)
        new.execute(CLOSE_OPEN)
        new.execute(CLOSE_RUNS, [0])
        return saved
    finally:
        new.close()


def _merge(connection: Any, readable: Path) -> int:
    """Put in what is not there yet, in one transaction; returns how many sessions that were."""
    connection.execute("ATTACH ? AS old", [str(readable)])
    try:
        connection.execute("BEGIN IMMEDIATE")
        before = _count(connection)
        schema.with_rollback(connection, lambda: _put_missing(connection))
        return _count(connection) - before
    finally:
        connection.execute("DETACH old")


def _count(connection: Any) -> int:
    return int(connection.execute("SELECT count(*) FROM main.session").fetchone()[0])


def _put_missing(connection: Any) -> None:
    connection.execute(
        "CREATE TEMP TABLE missing AS SELECT id, uuid FROM old.session "
        "WHERE uuid NOT IN (SELECT uuid FROM main.session)"
    )
    of_missing = "theirs.session IN (SELECT id FROM temp.missing)"
    unknown = "theirs.uuid NOT IN (SELECT uuid FROM main.{})"
    free_id = "CASE WHEN theirs.id IN (SELECT id FROM main.session) THEN NULL ELSE theirs.id END"
    # A run that could not be read has another name each time: it comes with its visits and events only.
    of_visits = "SELECT run FROM old.session WHERE id IN (SELECT id FROM temp.missing)"
    of_events = "SELECT run FROM old.event WHERE uuid NOT IN (SELECT uuid FROM main.event)"
    needed = f"(theirs.version <> '' OR theirs.id IN ({of_visits} UNION {of_events}))"
    _copy(connection, "run", {"id": "NULL"}, f"{unknown.format('run')} AND {needed}")
    _copy(connection, "session", {"id": free_id, "run": OWN_RUN}, unknown.format("session"))
    for table in ("session_metric", "pointer_grid", "recording"):
        _copy(connection, table, {"session": OWN_SESSION}, of_missing)
    _copy(connection, "event", {"id": "NULL", "run": OWN_RUN}, unknown.format("event"))
    known = "SELECT 1 FROM main.clock_anchor AS mine WHERE mine.mono_s = theirs.mono_s AND mine.run = "
    new = f"{OWN_RUN} IS NOT NULL AND NOT EXISTS ({known} {OWN_RUN})"
    _copy(connection, "clock_anchor", {"id": "NULL", "run": OWN_RUN}, new)
    connection.execute("DROP TABLE temp.missing")


def _copy(connection: Any, table: str, replaced: dict[str, str], where: str) -> None:
    """Rows of the old table into the same one of the log, some columns with what they are called here.

    Those that get a new id come last, so that it is none of the others.
    """
    found = connection.execute("SELECT name FROM pragma_table_info(?)", [table]).fetchall()
    names = [name for (name,) in found]
    values = [replaced.get(name, f"theirs.{name}") for name in names]
    connection.execute(
        f"INSERT INTO main.{table} ({', '.join(names)}) SELECT {', '.join(values)} "
        f"FROM old.{table} AS theirs WHERE {where} ORDER BY {values[0]} IS NULL, theirs.{names[0]}"
    )
