"""A log built row by row for the trials of the purge: what is old, what is kept, and the bytes of a home."""

from __future__ import annotations

import random
import struct
import uuid
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest

from logs import engine, identity, schema
from logs.clock import local_time
from logs.purging import Purged, purge

BERLIN = ZoneInfo("Europe/Berlin")
CUT = date(2026, 10, 26)
DAYS = "SELECT local_date, contacts, sessions, total_s, min_s, max_s FROM per_day ORDER BY local_date"
HOURS = """
SELECT local_date, utc_offset_min, local_hour, sum(contacts) AS contacts, sum(sessions) AS sessions,
    sum(total_s) AS total_s FROM per_hour GROUP BY local_date, utc_offset_min, local_hour ORDER BY 1, 2, 3
"""


def real(value: float) -> bytes:
    """As the database stores it."""
    return struct.pack(">d", value)


class Row(NamedTuple):
    """What can be told of a session from the bytes of a file."""

    uuid: str
    start_x: float
    duration_s: float

    @property
    def needles(self) -> list[bytes]:
        return [self.uuid.encode(), uuid.UUID(self.uuid).bytes, real(self.start_x)]


class Gallery:
    """A log built row by row."""

    def __init__(self, home: Path) -> None:
        home.mkdir(exist_ok=True)
        self.path = home / "visits.db"
        self.chance = random.Random(7)
        self.connection = engine.connect(engine.choose(), self.path)
        self.connection.execute("PRAGMA synchronous = OFF")
        schema.migrate(self.connection)

    def run(self, first: datetime, last: datetime | None) -> int:
        """A start of the program with an event and a clock anchor at its beginning."""
        first_us, last_us = (None if at is None else round(at.timestamp() * 1e6) for at in (first, last))
        run = self.connection.execute(
            "INSERT INTO run VALUES (NULL, ?, ?, 0, '', 'Europe/Berlin', '', '', '{}', 0, ?, 'clean')",
            [self.name(), first_us, last_us],
        ).lastrowid
        event = [self.name(), run, first_us]
        self.connection.execute("INSERT INTO event VALUES (NULL, ?, ?, ?, 0, 'camera_lost', '{}')", event)
        self.connection.execute("INSERT INTO clock_anchor VALUES (NULL, ?, 0, 0, ?, 1)", [run, first_us])
        return int(run)

    def session(self, run: int, at: datetime, demo: bool = False, reason: str = "off", **more: Any) -> Row:
        """A contact of 1 to 100 s with a measure, a grid and a recording."""
        row = Row(self.name(), self.chance.random(), more.get("duration_s", self.chance.uniform(1, 100)))
        on_us = round(at.timestamp() * 1e6)
        local = local_time(on_us, BERLIN)
        off_us = None if reason == "open" else on_us + round(row.duration_s * 1e6)
        values = [
            *(
                row.uuid,
                run,
                demo,
                on_us,
                off_us,
                row.duration_s,
                local.utc_offset_min,
                local.date,
                local.hour,
            ),
            *(row.start_x, on_us, reason),
        ]
        number = self.connection.execute(
            "INSERT INTO session VALUES (NULL, ?, ?, 'camera', ?, ?, ?, 1, ?, 'Europe/Berlin', ?, ?, ?, ?, "
            "0.5, 0.5, 0.5, 0, ?, 1, 0, ?)",
            values,
        ).lastrowid
        file = f"recordings/{local.date}/{row.uuid}.jsonl.gz"
        self.connection.execute("INSERT INTO session_metric VALUES (?, 'reached', 3)", [number])
        self.connection.execute("INSERT INTO pointer_grid VALUES (?, 32, 18, x'00')", [number])
        self.connection.execute("INSERT INTO recording VALUES (?, ?, 1, 1)", [number, file])
        (self.path.parent / file).parent.mkdir(parents=True, exist_ok=True)
        (self.path.parent / file).write_text(row.uuid, encoding="utf-8")
        return row

    def name(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))


class Show(NamedTuple):
    """A log with sessions from before and after the cut."""

    path: Path
    old: list[Row]
    kept: list[Row]


def fill(gallery: Gallery, hours: int = 60) -> Show:
    """A contact each quarter of an hour, over two midnights and a day of 25 hours, some after the cut."""
    first = datetime(2026, 10, 24, 3, 10, tzinfo=UTC)
    cut = datetime(2026, 10, 26, tzinfo=BERLIN)
    gallery.connection.execute("BEGIN")
    runs = [gallery.run(first - timedelta(days=1), first), gallery.run(first, cut + timedelta(days=1))]
    old, kept = [], []
    for number in range(4 * hours):
        at = first + timedelta(minutes=15 * number, seconds=number)
        row = gallery.session(runs[1], at, demo=number % 7 == 0)
        (old if at < cut else kept).append(row)
    gallery.connection.execute("COMMIT")
    identity.keep(gallery.path, identity.of(gallery.connection))
    return Show(gallery.path, old, kept)


def closed(home: Path) -> Show:
    """The filled log with its connection closed."""
    gallery = Gallery(home)
    made = fill(gallery)
    gallery.connection.close()
    return made


def take(show: Show, before: date = CUT, with_copies: bool = False, spill_at: Sequence[Path] = ()) -> Purged:
    return purge(show.path, before, BERLIN, with_copies, spill_at)


def files(home: Path) -> dict[str, bytes]:
    """Name and bytes of every file of a home, read without a part of the program."""
    return {
        file.name: file.name.encode() + file.read_bytes()
        for file in sorted(home.rglob("*"))
        if file.is_file()
    }


def seen(rows: list[Row], home: Path) -> int:
    content = b"".join(files(home).values())
    return sum(any(needle in content for needle in row.needles) for row in rows)


def near(rows: list[dict[str, Any]]) -> list[Any]:
    """Equal but for the order of a sum."""
    return [
        {
            name: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
            for name, value in row.items()
        }
        for row in rows
    ]
