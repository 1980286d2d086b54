"""Field reports F39, F41 and F48, tried as each of them says."""

from __future__ import annotations

import csv
import math
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from logs.exporting import Choice, export_csv
from logs.settings import LogSettings
from logs.visits import Visits
from tests.logs.conftest import wait_until
from tests.logs.small_disk import fill, small_disk

HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("holds", flush=True)
sys.stdin.read()
"""
# What a frame must not wait for: the database, the disk, a pause.
SLOW = ("sqlite", "fsync", "sleep", "flock", "posix.open", "posix.write", "_io.")


def calls_in(work: Callable[[], None]) -> set[str]:
    """The names of all built-in functions that this thread calls within `work`."""
    names: set[str] = set()

    def listen(frame: Any, event: str, arg: Any) -> None:
        if event == "c_call":
            owner = type(getattr(arg, "__self__", None)).__module__
            names.add(f"{owner} {arg.__module__}.{arg.__qualname__}")

    sys.setprofile(listen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return names


def test_f39_while_another_program_holds_the_log_20_s_no_frame_waits_and_no_visit_is_lost(
    begin: Any, clock: Any, ask: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five visits of 3 s in 20 s of the show's time; none of its 1200 frames makes a slow call.

    All wait in memory here; `test_spill.py` tries the file for what waits longer.
    """
    monkeypatch.setattr("logs.writer.SPILL_AFTER_S", math.inf)
    log = begin(sleep=lambda wait_s: time.sleep(0.002), **clock.clocks()).log
    wait_until(lambda: bool(log.state().open))
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(database)], stdin=-1, stdout=-1, text=True)
    visits, begins = Visits(LogSettings()), [clock.wall_ns // 1000 + n * 4_000_000 for n in range(5)]

    def show_20_s() -> None:
        for tick in range(1200):
            on = tick % 240 < 180
            log.put(visits.step(tick, clock.at_s, on, 1, 1, "camera", "" if on else "off"), {"inside": 1.0})
            clock.at_s = (tick + 1) / 60

    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holds\n"
        calls = calls_in(show_20_s)
        wait_until(lambda: "locked" in log.state().error)
        assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 0}]
    finally:
        holder.communicate(timeout=30)
    assert "_queue None.SimpleQueue.put" in calls
    assert not [name for name in calls if any(slow in name for slow in SLOW)]
    assert log.stop(20.0)
    rows = ask(database, "SELECT * FROM session ORDER BY id")
    assert [row["on_at_us"] for row in rows] == pytest.approx(begins, abs=5)
    assert [row["duration_s"] for row in rows] == pytest.approx([3.0] * 5, abs=0.02)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "small disk", "256k") as folder:
        yield folder


def test_f41_ten_visits_on_a_full_disk_of_256_kb_are_ten_rows_when_there_is_room(
    disk: Path, begin: Any, visit: Any, ask: Any, database: Path
) -> None:
    assert begin().log.stop(20.0)
    shutil.copy(database, disk)  # the log of the days before; a new one needs more room than that
    database = disk / database.name
    writing = begin(path=database, sleep=lambda wait_s: time.sleep(0.002))
    wait_until(lambda: bool(writing.log.state().open))
    fill(disk / "other files")
    for number in range(1, 11):
        for event in visit(number, number * 10.0, number * 10.0 + 7.0):
            writing.log.put(event)
    wait_until(lambda: "full" in writing.log.state().error)
    assert writing.log.state().queue_length > 0
    (disk / "other files").unlink()
    wait_until(lambda: writing.log.state().error == "")
    assert (writing.log.state().queue_length, writing.log.state().warning) == (0, "")
    assert writing.log.stop(20.0)
    rows = ask(database, "SELECT uuid, duration_s, end_reason FROM session")
    assert [(row["duration_s"], row["end_reason"]) for row in rows] == [(7.0, "off")] * 10
    assert len({row["uuid"] for row in rows}) == 10
    assert ask(database, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]


@pytest.mark.parametrize("excel", [True, False])
def test_f48_kanji_are_read_back_from_a_file_for_excel_and_from_a_plain_one(
    excel: bool, begin: Any, visit: Any, tmp_path: Path
) -> None:
    """Excel takes a file with the mark for UTF-8; without it the first name would begin with the mark."""
    writing = begin()
    writing.log.put(visit(1, 10.0, 51.35, "懐中電灯")[1], {"虫": 250.0})
    writing.acks.get(timeout=30)
    out = tmp_path / "訪問.csv"
    assert export_csv(writing.path, out, Choice(), excel=excel) == 1
    assert out.read_bytes().startswith(b"\xef\xbb\xbf") == excel
    with out.open(encoding="utf-8-sig" if excel else "utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert next(iter(row)) == "id"
    assert (row["source"], row["虫"], row["duration_s"]) == ("懐中電灯", "250.0", "41.35")
