"""A clock moved by hand, a log that tells what is written, old files, and a look into the database."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from logs.engine import choose
from logs.settings import LogSettings
from logs.visits import Ended, Event, Visits
from logs.writer import Log

PATIENCE_S = 30.0
START_NS = 1_800_000_000_000_000_000

# The files that earlier programs made, written out, with one visit in them.
VERSION_1 = """
CREATE TABLE _sqlite_migrations (
    id INTEGER PRIMARY KEY, migration_set TEXT, name TEXT, applied_at TEXT);
CREATE UNIQUE INDEX idx__sqlite_migrations_migration_set_name
    ON _sqlite_migrations (migration_set, name);
INSERT INTO _sqlite_migrations (migration_set, name, applied_at)
    VALUES ('baited_log', '001_runs_and_sessions', '2026-01-01 00:00:00+00:00');
CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE,
    started_at_us INTEGER NOT NULL, started_mono_s REAL NOT NULL, boot_id TEXT NOT NULL, zone TEXT NOT NULL,
    version TEXT NOT NULL, settings_hash TEXT NOT NULL, settings TEXT NOT NULL,
    clock_step_ms INTEGER NOT NULL DEFAULT 0, ended_at_us INTEGER, end_reason TEXT) STRICT;
CREATE TABLE session (id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL REFERENCES run (id), source TEXT NOT NULL,
    demo INTEGER NOT NULL CHECK (demo IN (0, 1)), on_at_us INTEGER NOT NULL, off_at_us INTEGER,
    on_mono_s REAL NOT NULL, duration_s REAL NOT NULL CHECK (duration_s >= 0), zone TEXT NOT NULL,
    utc_offset_min INTEGER NOT NULL, local_date TEXT NOT NULL, local_hour INTEGER NOT NULL,
    start_x REAL NOT NULL, start_y REAL NOT NULL, end_x REAL NOT NULL, end_y REAL NOT NULL,
    joins INTEGER NOT NULL DEFAULT 0, seen_at_us INTEGER NOT NULL, seen_mono_s REAL NOT NULL,
    clock_step_ms INTEGER NOT NULL DEFAULT 0, end_reason TEXT NOT NULL DEFAULT 'open') STRICT;
CREATE UNIQUE INDEX session_one_open ON session (end_reason) WHERE end_reason = 'open';
PRAGMA user_version = 1;
INSERT INTO run (uuid, started_at_us, started_mono_s, boot_id, zone, version, settings_hash, settings,
    ended_at_us, end_reason) VALUES ('r', 1, 1.0, '', 'Asia/Tokyo', '0', '', '{}', 9, 'clean');
INSERT INTO session (uuid, run, source, demo, on_at_us, off_at_us, on_mono_s, duration_s, zone,
    utc_offset_min, local_date, local_hour, start_x, start_y, end_x, end_y, seen_at_us, seen_mono_s,
    end_reason) VALUES ('old', 1, 'camera', 0, 1767229200000000, 1767229241350000, 5.0, 41.35, 'Asia/Tokyo',
    540, '2026-01-01', 10, 0.1, 0.2, 0.3, 0.4, 1767229241350000, 46.35, 'off');
"""
VERSION_2 = """
INSERT INTO _sqlite_migrations (migration_set, name, applied_at)
    VALUES ('baited_log', '002_events_and_views', '2026-02-01 00:00:00+00:00');
CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL REFERENCES run (id), at_us INTEGER NOT NULL, mono_s REAL NOT NULL,
    kind TEXT NOT NULL, detail TEXT NOT NULL) STRICT;
CREATE INDEX event_at ON event (at_us);
CREATE VIEW session_closed AS SELECT * FROM session WHERE demo = 0 AND end_reason <> 'open';
CREATE VIEW session_valid AS SELECT * FROM session_closed WHERE duration_s >= 5;
PRAGMA user_version = 2;
"""
VERSION_3 = """
INSERT INTO _sqlite_migrations (migration_set, name, applied_at)
    VALUES ('baited_log', '003_measures', '2026-03-01 00:00:00+00:00');
CREATE TABLE session_metric (session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (session, name)) STRICT, WITHOUT ROWID;
INSERT INTO session_metric VALUES (1, 'reached', 12.0);
PRAGMA user_version = 3;
"""
VERSION_4 = """
INSERT INTO _sqlite_migrations (migration_set, name, applied_at)
    VALUES ('baited_log', '004_file_identity', '2026-04-01 00:00:00+00:00');
CREATE TABLE log_file (uuid TEXT NOT NULL, follows TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO log_file (uuid) VALUES ('5b1f2ad4-2c0e-4b52-9d35-6a5a8f2f9a10');
PRAGMA application_id = 1650551156;
PRAGMA user_version = 4;
"""


class HandClock:
    """Monotonic seconds and UTC nanoseconds that move when told; the wall clock can be stepped alone.

    Both are read from one number, so that no reader sees one moved and the other not yet.
    """

    def __init__(self, at_ns: int = START_NS) -> None:
        self.at_s = 0.0
        self.began_ns = at_ns

    @property
    def wall_ns(self) -> int:
        return self.began_ns + round(self.at_s * 1e9)

    def advance(self, duration_s: float) -> None:
        self.at_s += duration_s

    def step_wall(self, step_s: float) -> None:
        self.began_ns += round(step_s * 1e9)

    def clocks(self) -> dict[str, Any]:
        return {"perf": lambda: self.at_s, "wall_ns": lambda: self.wall_ns}


class Writing:
    """A log whose durable entries can be waited for."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.acks: queue.Queue[tuple[Event, str]] = queue.Queue()
        self.path = path
        self.log = Log(path, acknowledged=lambda event, name: self.acks.put((event, name)), **options)

    def write(self, event: Event | None) -> str:
        """Put one event and wait until it is durable; returns the session's uuid."""
        assert event is not None
        self.log.put(event)
        done, name = self.acks.get(timeout=PATIENCE_S)
        assert done == event
        return name


def wait_until(true: Callable[[], object]) -> None:
    """For what another thread does. Wait for the last thing of it: its state is not set all at once."""
    for _ in range(round(PATIENCE_S * 100)):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def contact(
    number: int, on_s: float, off_s: float, source: str = "mouse", reason: str = "off"
) -> list[Event]:
    """The events of one visit as the rules make them."""
    visits = Visits(LogSettings(hold_camera_s=0.0, hold_torch_s=0.0))
    visits._number = number - 1
    started = visits.step(0, on_s, True, 10.0, 20.0, source)
    ended = visits.step(1, off_s, False, 30.0, 40.0, source, reason)
    assert started is not None
    assert isinstance(ended, Ended)
    return [started, ended]


def rows(path: Path, text: str, values: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
    """The rows of a query, read with the log's own engine."""
    connection = choose().module.connect(path, timeout=5.0)
    try:
        cursor = connection.execute(text, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    finally:
        connection.close()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "visits.db"


@pytest.fixture
def ask() -> Callable[..., list[dict[str, Any]]]:
    return rows


@pytest.fixture
def old_file() -> Callable[[Path, int], None]:
    """old_file(path, version): a log as the program of that schema version left it."""

    def make(path: Path, version: int) -> None:
        connection = choose().module.connect(path)
        for text in (VERSION_1, VERSION_2, VERSION_3, VERSION_4)[:version]:
            connection.executescript(text)
        connection.close()

    return make


@pytest.fixture
def visit() -> Callable[..., list[Event]]:
    return contact


@pytest.fixture
def begin(database: Path) -> Iterator[Callable[..., Writing]]:
    """Opens logs on `database` (or `path=`) and stops those still running at the end."""
    opened: list[Writing] = []

    def begin_log(path: Path = database, **options: Any) -> Writing:
        opened.append(Writing(path, **options))
        return opened[-1]

    yield begin_log
    for writing in opened:
        writing.log.stop(5.0)


@pytest.fixture
def held(database: Path) -> Iterator[Callable[[], Any]]:
    """held(): another connection holds the write lock until it is closed."""
    opened: list[Any] = []

    def hold() -> Any:
        opened.append(choose().module.connect(database, isolation_level=None))
        opened[-1].execute("BEGIN IMMEDIATE")
        return opened[-1]

    yield hold
    for connection in opened:
        connection.close()
