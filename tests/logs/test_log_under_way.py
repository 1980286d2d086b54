"""What others do to the files of a log under way: it is noticed within seconds, and nothing more is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logs import writer
from logs.engine import choose
from logs.lock import AlreadyRunning, HomeLock
from tests.logs.conftest import wait_until


@pytest.fixture
def lived(begin: Any, visit: Any, clock: Any) -> Any:
    """A log under way with three visits in it."""
    writing = begin(sleep=lambda _: None, **clock.clocks())
    for number in (1, 2, 3):
        for event in visit(number, number * 10.0, number * 10.0 + 8.0):
            writing.write(event)
    return writing


def notice(lived: Any, clock: Any, true: Callable[[], bool]) -> None:
    """Let the seconds pass after which the log looks at its files."""

    def later() -> bool:
        clock.advance(writer.TEND_EVERY_S)
        return true()

    wait_until(later)


def cut(path: Path) -> None:
    path.open("r+b").truncate(0)


def put_back(path: Path) -> None:
    """An older copy written into the same file."""
    with path.open("r+b") as file:
        file.write(path.with_name("older.db").read_bytes())
        file.truncate()


def remove_home(path: Path) -> None:
    shutil.rmtree(path.parent)


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (cut, "damaged"),
        (Path.unlink, "is gone"),
        (remove_home, "is gone"),
        (lambda path: path.write_bytes(b"no database" * 1000), "damaged"),
    ],
    ids=["cut", "deleted", "home deleted", "overwritten"],
)
def test_a_log_that_is_harmed_under_way_is_told_and_its_ids_go_on(
    harm: Callable[[Path], None], told: str, lived: Any, clock: Any, visit: Any, ask: Any
) -> None:
    harm(lived.path)
    notice(lived, clock, lambda: told in lived.log.state().warning)
    for event in visit(4, clock.at_s, clock.at_s + 8.0):
        lived.write(event)
    assert lived.log.stop(10.0)
    rows = ask(lived.path, "SELECT id, duration_s FROM session ORDER BY id")
    assert rows[-1] == {"id": 4, "duration_s": 8.0}
    assert ask(lived.path, "SELECT count(*) AS n FROM event WHERE kind = 'log_moved_aside'") == [{"n": 1}]


def test_an_older_copy_put_into_the_file_under_way_loses_nothing(
    begin: Any, visit: Any, clock: Any, ask: Any, database: Path
) -> None:
    """What is newer stands in the write-ahead log, or is told as missing."""
    writing = begin(**clock.clocks())
    for event in visit(1, 10.0, 18.0):
        writing.write(event)
    assert writing.log.stop(5.0)
    shutil.copy(database, database.with_name("older.db"))
    writing = begin(sleep=lambda _: None, **clock.clocks())
    for event in visit(2, 20.0, 28.0):
        writing.write(event)
    put_back(database)
    for _ in range(3):
        clock.advance(writer.TEND_EVERY_S)
    for event in visit(3, clock.at_s, clock.at_s + 8.0):
        writing.write(event)
    assert writing.log.stop(10.0)
    told = writing.log.state().warning
    ids = [row["id"] for row in ask(database, "SELECT id FROM session ORDER BY id")]
    assert ids == ([1, 3] if told else [1, 2, 3])
    assert ask(database, "PRAGMA integrity_check") == [{"integrity_check": "ok"}]


def test_a_program_that_only_notes_something_harms_nothing(
    lived: Any, clock: Any, visit: Any, ask: Any
) -> None:
    connection = choose().module.connect(lived.path)
    connection.execute("CREATE TABLE note (text TEXT)")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint")
    connection.close()
    for _ in range(3):
        clock.advance(writer.TEND_EVERY_S)
    for event in visit(4, clock.at_s, clock.at_s + 8.0):
        lived.write(event)
    assert lived.log.state().warning == ""
    assert lived.log.stop(10.0)
    assert ask(lived.path, "SELECT count(*) AS n FROM session") == [{"n": 4}]


def test_a_lock_that_was_deleted_is_taken_anew(lived: Any, clock: Any, database: Path) -> None:
    lock = database.with_name("visits.db.lock")
    lock.unlink()
    notice(lived, clock, lock.exists)
    with pytest.raises(AlreadyRunning):
        HomeLock(database).take()


def test_where_a_second_show_took_the_deleted_lock_the_first_one_writes_no_more(
    lived: Any, clock: Any, visit: Any, ask: Any, database: Path
) -> None:
    database.with_name("visits.db.lock").unlink()
    second = HomeLock(database)
    second.take()
    notice(lived, clock, lambda: "already running" in lived.log.state().error)
    for event in visit(4, clock.at_s, clock.at_s + 8.0):
        lived.log.put(event)
    notice(lived, clock, lambda: lived.log.state().spilled == 2)
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 3}]
    second.release()
    notice(lived, clock, lambda: lived.log.state().spilled == 0)
    assert lived.log.stop(10.0)
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 4}]


def test_a_link_to_a_disk_that_is_away_is_waited_for(
    begin: Any, visit: Any, ask: Any, tmp_path: Path
) -> None:
    disk, home = tmp_path / "disk", tmp_path / "home"
    home.mkdir()
    (home / "visits.db").symlink_to(disk / "visits.db")
    writing = begin(home / "visits.db", sleep=lambda _: None)
    wait_until(lambda: "mount its disk" in writing.log.state().error)
    assert (home / "visits.db").is_symlink()
    assert not (home / "visits.db").exists()
