"""The tables of the log, written out and changed only by a chain of migrations.

Version 1 has runs and sessions, version 2 adds events and the views, version 3 what the scene
measured, version 4 the name of the file and the mark by which a log is known, version 5 where the
light pointed, recordings, clock anchors, and what is left of purged days. Every instant is
stored as UTC microseconds; every duration comes from the monotonic clock; the gallery's date and
hour are fixed at ON.
"""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from sqlite_utils import Database, Migrations

from logs.views import VIEWS

MIGRATIONS = Migrations("baited_log")
TABLES = (
    *("run", "session", "session_metric", "pointer_grid", "recording", "event", "clock_anchor"),
    *("day_rollup", "log_file", "view_setting"),
)
APPLICATION_ID = int.from_bytes(b"bait", "big")
# With these in the index a question over all days never has to visit the rows themselves.
KIND = "demo, end_reason"

RUN = """
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    started_at_us INTEGER NOT NULL,
    started_mono_s REAL NOT NULL,
    boot_id TEXT NOT NULL,
    zone TEXT NOT NULL,
    version TEXT NOT NULL,
    settings_hash TEXT NOT NULL,
    settings TEXT NOT NULL,
    clock_step_ms INTEGER NOT NULL DEFAULT 0,
    ended_at_us INTEGER,
    end_reason TEXT
) STRICT
"""

SESSION = """
CREATE TABLE session (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL REFERENCES run (id),
    source TEXT NOT NULL,
    demo INTEGER NOT NULL CHECK (demo IN (0, 1)),
    on_at_us INTEGER NOT NULL,
    off_at_us INTEGER,
    on_mono_s REAL NOT NULL,
    duration_s REAL NOT NULL CHECK (duration_s >= 0),
    zone TEXT NOT NULL,
    utc_offset_min INTEGER NOT NULL,
    local_date TEXT NOT NULL,
    local_hour INTEGER NOT NULL,
    start_x REAL NOT NULL,
    start_y REAL NOT NULL,
    end_x REAL NOT NULL,
    end_y REAL NOT NULL,
    joins INTEGER NOT NULL DEFAULT 0,
    seen_at_us INTEGER NOT NULL,
    seen_mono_s REAL NOT NULL,
    clock_step_ms INTEGER NOT NULL DEFAULT 0,
    end_reason TEXT NOT NULL DEFAULT 'open'
) STRICT
"""

EVENT = """
CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL REFERENCES run (id),
    at_us INTEGER NOT NULL,
    mono_s REAL NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT
"""

METRIC = """
CREATE TABLE session_metric (
    session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (session, name)
) STRICT, WITHOUT ROWID
"""

LOG_FILE = """
CREATE TABLE log_file (
    uuid TEXT NOT NULL,
    follows TEXT NOT NULL DEFAULT ''
) STRICT
"""

# `dwell`: the ticks (1/60 s) that the light was in each cell, row by row, as zlib of 32-bit numbers,
# the lowest byte first.
POINTER_GRID = """
CREATE TABLE pointer_grid (
    session INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
    columns INTEGER NOT NULL,
    rows INTEGER NOT NULL,
    dwell BLOB NOT NULL
) STRICT
"""

RECORDING = """
CREATE TABLE recording (
    session INTEGER PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
    file TEXT NOT NULL UNIQUE,
    ticks INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL
) STRICT
"""

# `boot_s` is `mono_s` and the time that the machine slept since its boot.
CLOCK_ANCHOR = """
CREATE TABLE clock_anchor (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES run (id),
    mono_s REAL NOT NULL,
    boot_s REAL NOT NULL,
    at_us INTEGER NOT NULL,
    synchronised INTEGER CHECK (synchronised IN (0, 1)),
    UNIQUE (run, mono_s)
) STRICT
"""

# An hour of a day with a change of the clocks is there twice, with two offsets.
DAY_ROLLUP = """
CREATE TABLE day_rollup (
    local_date TEXT NOT NULL,
    utc_offset_min INTEGER NOT NULL,
    local_hour INTEGER NOT NULL,
    contacts INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    short_s REAL NOT NULL,
    total_s REAL NOT NULL,
    min_s REAL,
    max_s REAL,
    under_5_s INTEGER NOT NULL,
    under_15_s INTEGER NOT NULL,
    under_30_s INTEGER NOT NULL,
    under_60_s INTEGER NOT NULL,
    from_60_s INTEGER NOT NULL,
    UNIQUE (local_date, utc_offset_min, local_hour)
) STRICT
"""

VIEW_SETTING = """
CREATE TABLE view_setting (
    short_s REAL NOT NULL,
    join_s REAL NOT NULL
) STRICT
"""
SHORT_S, JOIN_S = 5.0, 2.8


@MIGRATIONS(name="001_runs_and_sessions")
def _runs_and_sessions(db: Database) -> None:
    db.conn.execute(RUN)
    db.conn.execute(SESSION)
    db.conn.execute("CREATE UNIQUE INDEX session_one_open ON session (end_reason) WHERE end_reason = 'open'")
    db.conn.execute(f"CREATE INDEX session_day ON session (local_date, local_hour, duration_s, {KIND})")
    db.conn.execute("CREATE INDEX session_run ON session (run, id)")
    db.conn.execute("CREATE INDEX session_on ON session (on_at_us)")
    db.conn.execute(f"CREATE INDEX session_duration ON session (duration_s, {KIND})")
    db.conn.execute("PRAGMA user_version = 1")


@MIGRATIONS(name="002_events_and_views")
def _events_and_views(db: Database) -> None:
    db.conn.execute(EVENT)
    db.conn.execute("CREATE INDEX event_at ON event (at_us)")
    db.conn.execute(
        "CREATE VIEW session_closed AS SELECT * FROM session WHERE demo = 0 AND end_reason <> 'open'"
    )
    db.conn.execute("CREATE VIEW session_valid AS SELECT * FROM session_closed WHERE duration_s >= 5")
    db.conn.execute("PRAGMA user_version = 2")


@MIGRATIONS(name="003_measures")
def _measures(db: Database) -> None:
    db.conn.execute(METRIC)
    db.conn.execute("PRAGMA user_version = 3")


@MIGRATIONS(name="004_file_identity")
def _file_identity(db: Database) -> None:
    db.conn.execute(LOG_FILE)
    db.conn.execute("INSERT INTO log_file (uuid) VALUES (?)", [str(uuid.uuid4())])
    db.conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.conn.execute("PRAGMA user_version = 4")


@MIGRATIONS(name="005_pointing_clocks_and_purged_days")
def _pointing_clocks_and_purged_days(db: Database) -> None:
    for table in (POINTER_GRID, RECORDING, CLOCK_ANCHOR, DAY_ROLLUP, VIEW_SETTING):
        db.conn.execute(table)
    db.conn.execute("INSERT INTO view_setting (short_s, join_s) VALUES (?, ?)", [SHORT_S, JOIN_S])
    db.conn.execute("DROP VIEW session_valid")
    db.conn.execute("DROP VIEW session_closed")
    for view in VIEWS:
        db.conn.execute(view)
    db.conn.execute("PRAGMA user_version = 5")


def is_ours(connection: Any) -> bool:
    """True for a log of this program, of whichever version; only reads. Raises the driver's `Error`."""
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    needed = {"run", "session", "_sqlite_migrations"}
    if mark not in (0, APPLICATION_ID) or not needed <= {name for (name,) in found}:
        return False
    text = "SELECT 1 FROM _sqlite_migrations WHERE migration_set = ?"
    return connection.execute(text, [MIGRATIONS.name]).fetchone() is not None


def is_current(connection: Any) -> bool:
    """True when no migration waits; only reads."""
    return not MIGRATIONS.pending(Database(connection))


def migrate(connection: Any, keep_copy_at: Path | None = None) -> list[str]:
    """Bring the database up to date in one transaction; returns the names of the steps taken.

    The caller holds the lock of the home. An existing database is first copied, whole, to
    `keep_copy_at`. Raises the driver's `Error`; then nothing has changed.
    """
    db = Database(connection)
    steps = [step.name for step in MIGRATIONS.pending(db)]
    if steps and keep_copy_at is not None:
        keep_copy_at.unlink(missing_ok=True)
        connection.execute("VACUUM INTO ?", [str(keep_copy_at)])
    if steps:
        connection.execute("BEGIN IMMEDIATE")
        with_rollback(connection, lambda: MIGRATIONS.apply(db))
    return steps


def with_rollback(connection: Any, work: Any) -> None:
    """Run `work()` in the open transaction and commit; on any fault roll back and raise it again."""
    try:
        work()
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
