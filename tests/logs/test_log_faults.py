"""A log that is locked, read-only, full, damaged or emptied: the show goes on and nothing is lost."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from logs.engine import choose
from logs.questions import sessions, summary
from logs.settings import LogSettings
from logs.visits import Visits
from tests.logs.conftest import wait_until

CHILD = Path(__file__).with_name("visitor_child.py")
NOBODY = 65534

BROWSER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("holds", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def browser(database: Path) -> Iterator[Callable[[], Callable[[], None]]]:
    """Another process that takes the write lock; gives the function that lets it go."""
    command = [sys.executable, "-c", BROWSER, str(database)]
    opened: list[subprocess.Popen[str]] = []

    def hold() -> Callable[[], None]:
        other = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
        opened.append(other)
        assert other.stdout is not None
        assert other.stdout.readline() == "holds\n"
        return lambda: other.communicate(timeout=30) and None

    yield hold
    for other in opened:
        other.kill()
        other.communicate()


class Naps:
    """A sleep that is short, and remembers how long it was asked to be."""

    def __init__(self) -> None:
        self.asked_s: list[float] = []

    def __call__(self, wait_s: float) -> None:
        self.asked_s.append(wait_s)
        time.sleep(0.002)


def five_visits(log: Any, clock: Any) -> list[tuple[int, float]]:
    """Five visits of 4 to 8 s through the rules, 60 ticks a second; returns (UTC us of ON, seconds)."""
    visits, expected, tick = Visits(LogSettings()), [], 0
    for seconds in (4, 5, 6, 7, 8):
        expected.append((clock.wall_ns // 1000, float(seconds)))
        for part in range(seconds * 60 + 60):
            on = part < seconds * 60
            log.put(visits.step(tick, clock.at_s, on, 1, 1, "camera", "" if on else "off"))
            clock.advance(1 / 60)
            tick += 1
    return expected


def check_five(path: Path, expected: list[tuple[int, float]], ask: Any) -> None:
    rows = ask(path, "SELECT * FROM session ORDER BY id")
    assert [row["on_at_us"] for row in rows] == pytest.approx([at_us for at_us, _ in expected], abs=5)
    assert [row["duration_s"] for row in rows] == pytest.approx([s for _, s in expected], abs=0.02)
    assert {row["end_reason"] for row in rows} == {"off"}


@pytest.mark.parametrize("when", ["during", "before"])
def test_five_visits_while_somebody_holds_the_file_are_all_there_later(
    when: str, begin: Any, browser: Any, clock: Any, ask: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All wait in memory here; `test_spill.py` tries the file for what waits longer."""
    monkeypatch.setattr("logs.writer.SPILL_AFTER_S", math.inf)
    naps = Naps()
    if when == "before":
        assert begin().log.stop(5.0)
        release = browser()
        log = begin(sleep=naps, **clock.clocks()).log
    else:
        log = begin(sleep=naps, **clock.clocks()).log
        wait_until(lambda: log.state().open)
        release = browser()
    expected = five_visits(log, clock)
    wait_until(lambda: "locked" in log.state().error)
    wait_until(lambda: len(naps.asked_s) > 12)
    wait_until(lambda: log.state().queue_length + log.state().spilled >= 10)
    assert "close it there" in log.state().error
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 0}]
    release()
    wait_until(lambda: log.state().queue_length + log.state().spilled == 0)
    wait_until(lambda: log.state().error == "")
    assert log.stop(5.0)
    check_five(database, expected, ask)
    assert naps.asked_s[:4] == [0.01, 0.02, 0.04, 0.08]
    assert max(naps.asked_s) == 2.0


def test_a_stop_does_not_wait_longer_than_it_was_told(begin: Any, browser: Any, visit: Any) -> None:
    log = begin(sleep=Naps()).log
    wait_until(lambda: log.state().open)
    release = browser()
    log.put(visit(1, 1.0, 9.0)[0])
    assert not log.stop(0.2)
    assert log.state().queue_length + log.state().spilled == 1
    release()


def test_a_disk_that_hangs_holds_up_neither_frame_nor_stop(
    begin: Any, visit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hang = threading.Event()
    monkeypatch.setattr("logs.store.Store.write", lambda self, entries: hang.wait(30))
    log = begin().log
    wait_until(lambda: log.state().open)
    for number in range(1, 200):
        log.put(visit(number, number * 10.0, number * 10.0 + 5.0)[1])
    assert not log.stop(0.1)
    assert log.state().spilled > 100
    hang.set()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can reach; the tests' own folders are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="baited-"))
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


def start(checkout: Path, *words: str) -> subprocess.Popen[bytes]:
    """The small show with one visit put into its log."""
    return subprocess.Popen(
        [sys.executable, str(CHILD), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(checkout)},
    )


def ask_child(child: subprocess.Popen[bytes], line: str) -> None:
    assert child.stdin is not None
    child.stdin.write(f"{line}\n".encode())
    child.stdin.flush()


@pytest.mark.parametrize("what", ["file", "folder", "all"])
def test_a_read_only_log_waits_until_it_may_be_written(
    what: str, begin: Any, open_folder: Path, checkout: Path
) -> None:
    path = open_folder / "visits.db"
    assert begin(path=path).log.stop(5.0)
    for file in open_folder.iterdir():
        file.chmod(0o666)
    shut = {"file": [path], "folder": [open_folder], "all": [*open_folder.iterdir(), open_folder]}[what]
    for file in shut:
        file.chmod(0o555 if file.is_dir() else 0o444)
    child = start(checkout, str(path), "wait", "0", str(NOBODY if os.getuid() == 0 else 0))
    assert child.stdout is not None
    ask_child(child, "state")
    answer = child.stdout.readline().decode()
    assert answer.startswith("2 ")
    assert "Sessions wait in memory" in answer
    for file in reversed(shut):
        file.chmod(0o777)
    out, _ = child.communicate(timeout=60)
    assert out.splitlines()[-1] == b"True"
    assert [row["duration_s"] for row in sessions(path)] == [7.5]


def test_a_full_disk_waits_for_room_and_writes_each_visit_once(
    begin: Any, database: Path, checkout: Path
) -> None:
    assert begin().log.stop(5.0)
    child = start(checkout, str(database), "wait", "4096", "0")
    assert child.stdout is not None
    ask_child(child, "state")
    answer = child.stdout.readline().decode()
    assert answer.startswith("2 ")
    assert "free space" in answer
    ask_child(child, "room")
    out, _ = child.communicate(timeout=60)
    assert out.splitlines()[-1] == b"True"
    assert [row["duration_s"] for row in sessions(database)] == [7.5]


def ruin_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"not a database!!" * 6)


def ruin_page(path: Path) -> None:
    """Spoil a page in the middle, where ordinary writing does not come by."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xa5" * 4096)


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def fill(begin: Any, visit: Any, count: int = 400) -> None:
    writing = begin()
    for number in range(1, count + 1):
        writing.log.put(visit(number, number * 10.0, number * 10.0 + 5.5)[1])
    assert writing.log.stop(30.0)


@pytest.mark.parametrize("ruin", [ruin_header, ruin_page, halve, empty])
def test_a_ruined_file_is_kept_aside_and_a_new_log_begun_loudly(
    ruin: Callable[[Path], None], begin: Any, visit: Any, ask: Any, database: Path
) -> None:
    fill(begin, visit)
    ruin(database)
    ruined = database.read_bytes()
    writing = begin()
    for event in visit(1, 10.0, 20.0):
        writing.write(event)
    warning = writing.log.state().warning
    assert writing.log.stop(5.0)
    (kept,) = database.parent.glob("visits.damaged-*Z.db")
    assert kept.read_bytes() == ruined
    assert kept.name in warning
    assert sessions(database)[-1]["duration_s"] == 10.0
    (note,) = ask(database, "SELECT detail FROM event WHERE kind = 'log_moved_aside'")
    assert kept.name in note["detail"]
    assert ask(database, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]


def test_two_ruined_files_in_one_second_are_both_kept(begin: Any, clock: Any, database: Path) -> None:
    for _ in range(2):
        database.write_bytes(b"junk" * 4096)
        assert begin(**clock.clocks()).log.stop(5.0)
    assert len(list(database.parent.glob("visits.damaged-*.db"))) == 2


def test_a_journal_whose_database_is_gone_is_not_played_into_the_new_one(
    begin: Any, visit: Any, ask: Any, database: Path
) -> None:
    engine = choose()
    assert begin().log.stop(5.0)
    other = engine.module.connect(database, isolation_level=None)
    other.execute("CREATE TABLE left_over (a)")
    stale = database.with_name("visits.db-wal").read_bytes()
    other.close()
    database.unlink()
    database.with_name("visits.db-wal").write_bytes(stale)
    writing = begin()
    for event in visit(1, 10.0, 20.0):
        writing.write(event)
    assert "gone" in writing.log.state().warning
    assert writing.log.stop(5.0)
    assert summary(database)["n"] == 1
    assert not ask(database, "SELECT name FROM sqlite_master WHERE name = 'left_over'")
    (kept,) = database.parent.glob("visits.damaged-*.db-wal")
    assert kept.read_bytes() == stale


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_taken_away_under_the_show_is_begun_anew(
    replaced: bool, begin: Any, visit: Any, ask: Any, database: Path
) -> None:
    writing = begin(sleep=lambda wait_s: time.sleep(0.002))
    on, off = visit(1, 10.0, 20.0)
    writing.write(on)
    if replaced:
        shutil.copy(database, database.with_name("copy"))
        database.with_name("copy").rename(database)
    else:
        database.unlink()
    writing.write(off)
    assert writing.log.stop(5.0)
    (row,) = ask(database, "SELECT duration_s, end_reason FROM session")
    assert (row["duration_s"], row["end_reason"]) == (10.0, "off")


def test_damage_found_while_running_moves_the_file_aside_and_keeps_the_open_visit(
    begin: Any, visit: Any, ask: Any, database: Path
) -> None:
    fill(begin, visit)
    writing = begin(sleep=lambda wait_s: time.sleep(0.002))
    on, off = visit(900, 9000.0, 9020.0)
    writing.write(on)
    engine = choose()
    other = engine.module.connect(database, isolation_level=None)
    other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    other.close()
    pages = database.stat().st_size // 4096
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * 4096 * (pages - 1))
    writing.write(off)
    assert writing.log.stop(20.0)
    rows = ask(database, "SELECT duration_s, end_reason FROM session WHERE duration_s = 20")
    assert rows == [{"duration_s": 20.0, "end_reason": "off"}]
