"""A clock moved by hand, a log that tells what is written, and a look into the database."""

from __future__ import annotations

import queue
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
