"""A home and a clock to be set, for the trials of the thread that writes the visits' recordings."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from controller.recording.rows import Head, Reading
from controller.recording.shelf import LEAST_FREE_BYTES, Shelf
from controller.recording.visit_writing import Begun, VisitWriting
from logs.visits import Started

HEAD = Head(format="baited recording", version=1, program="1.2.3", seed=7)
NOON_S = 1_775_300_400.0  # 2026-04-04 11:00 UTC
DAY_S = 86_400.0
NAMES = [f"{number:08d}-aaaa-5bbb-8ccc-dddddddddddd" for number in range(40)]


class Settings(BaseModel):
    bugs: int = 5


class Log:
    """Keeps what the log would be told."""

    def __init__(self) -> None:
        self.recordings: dict[str, tuple[str, int, int]] = {}
        self.gone: list[str] = []

    def name_of(self, event: Started) -> str:
        return NAMES[event.number]

    def recorded(self, session: str, file: str, ticks: int, size_bytes: int) -> None:
        self.recordings[session] = (file, ticks, size_bytes)

    def recording_gone(self, file: str) -> None:
        self.gone.append(file)


class Rig:
    """A writing with a clock to be set, on a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home, self.log, self.now_s = home, Log(), NOON_S
        self.free_bytes = 10 * LEAST_FREE_BYTES
        self.listed: list[str] | None = []
        self.synchronised: bool | None = True
        self.turns = threading.Event()
        self.turns.set()
        self.writing: VisitWriting

    def start(self, days: int = 14, most_waiting: int = 1000, zone: str = "Asia/Tokyo") -> VisitWriting:
        shelf = Shelf(self.home, ZoneInfo(zone), days, lambda folder: self.free_bytes)
        self.writing = VisitWriting(
            *(shelf, self.log, HEAD, lambda: self.listed, self._wall, most_waiting),
            every_s=0.01,
            synchronised=lambda: self.synchronised,
        )
        return self.writing

    def _wall(self) -> float:
        """Asked in each turn of the thread, which waits here while `turns` is clear."""
        self.turns.wait()
        return self.now_s

    def visit(self, number: int, ticks: int = 20, ended: bool = True) -> bool:
        if not self.writing.begin(begun(number, self.now_s)):
            return False
        for tick in range(1, ticks + 1):
            self.writing.put(reading(tick))
        return ended and self.writing.close(ticks, b"a swarm")

    def files(self) -> list[str]:
        """Also while folders come and go."""
        top = self.home / "recordings"
        return sorted(
            (Path(folder) / name).relative_to(top).as_posix()
            for folder, _, names in os.walk(top)
            for name in names
        )


def begun(number: int, at_s: float = NOON_S) -> Begun:
    event = Started(number, "mouse", False, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Begun(event, at_s, b"a snapshot", Settings(), (640, 480))


def reading(tick: int, x: float = 3.0) -> Reading:
    return Reading(tick, True, x + tick, 1.0, "mouse", True, "", None)


def wait_for(wanted: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + 60
    while not wanted():
        assert time.monotonic() < deadline_s
        time.sleep(0.005)
