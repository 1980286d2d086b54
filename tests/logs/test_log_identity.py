"""A log file that was swapped, put back or taken away is noticed, and no id is ever given twice."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logs import identity
from logs.engine import choose
from logs.questions import summary
from tests.logs.conftest import wait_until


@pytest.fixture
def visits(begin: Any, visit: Any) -> Callable[..., str]:
    """visits(count, path): one run of the show with this many visits; returns the warning it gave."""

    def run(count: int, **options: Any) -> str:
        writing = begin(**options)
        for number in range(1, count + 1):
            for event in visit(number, number * 10.0, number * 10.0 + 6.0):
                writing.write(event)
        assert writing.log.stop(10.0)
        return str(writing.log.state().warning)

    return run


def ids(ask: Any, path: Path) -> list[int]:
    return [row["id"] for row in ask(path, "SELECT id FROM session ORDER BY id")]


def told(ask: Any, path: Path, kind: str) -> list[str]:
    found = ask(path, "SELECT detail FROM event WHERE kind = ?", (kind,))
    return [json.loads(row["detail"])["text"] for row in found]


def test_the_last_ids_stand_beside_the_file_after_each_on(begin: Any, visit: Any, database: Path) -> None:
    writing = begin()
    kept = []
    for number in (1, 2):
        for event in visit(number, number * 10.0, number * 10.0 + 5.0):
            writing.write(event)  # when the OFF is durable, the ON has been kept in mind
        found = identity.read(database)
        assert found is not None
        kept.append((found.session, found.run))
    assert kept == [(1, 1), (2, 1)]


def test_a_log_that_nobody_touched_is_told_of_by_nothing(visits: Any, ask: Any, database: Path) -> None:
    assert [visits(2), visits(0), visits(1)] == ["", "", ""]
    assert ids(ask, database) == [1, 2, 3]
    assert not told(ask, database, "log_replaced")


def test_an_older_copy_put_back_is_told_and_its_ids_go_on(visits: Any, ask: Any, database: Path) -> None:
    visits(2)
    shutil.copy(database, database.with_name("copy"))
    visits(3)
    database.with_name("copy").rename(database)
    warning = visits(1)
    assert "older copy" in warning
    assert "session 2 of run 1 instead of 5 of 2" in warning
    assert ids(ask, database) == [1, 2, 6]
    assert told(ask, database, "log_replaced") == [warning]
    assert [row["id"] for row in ask(database, "SELECT id FROM run ORDER BY id")] == [1, 3]
    assert visits(0) == ""


def test_a_copy_from_before_an_idle_run_is_told_too(visits: Any, database: Path) -> None:
    visits(2)
    shutil.copy(database, database.with_name("copy"))
    visits(0)
    database.with_name("copy").rename(database)
    assert "older copy" in visits(0)


def test_the_log_of_another_home_is_told(visits: Any, ask: Any, database: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "visits.db"
    visits(4)
    visits(6, path=other)
    shutil.copy(other, database)
    warning = visits(1)
    assert "another log" in warning
    assert ids(ask, database) == [1, 2, 3, 4, 5, 6, 7]
    assert told(ask, database, "log_replaced") == [warning]
    assert visits(0) == ""


def test_ids_go_on_in_the_file_that_follows_an_emptied_one(visits: Any, ask: Any, database: Path) -> None:
    visits(3)
    os.truncate(database, 0)
    assert "is empty" in visits(2)
    assert ids(ask, database) == [4, 5]
    assert visits(1) == ""
    assert ids(ask, database) == [4, 5, 6]


def test_a_file_that_is_gone_is_told_and_its_ids_go_on(visits: Any, ask: Any, database: Path) -> None:
    visits(3)
    database.unlink()
    warning = visits(1)
    assert "is gone" in warning
    assert told(ask, database, "log_moved_aside") == [warning]
    assert ids(ask, database) == [4]


def test_a_power_cut_before_the_new_files_name_was_kept_is_no_exchange(visits: Any, database: Path) -> None:
    visits(3)
    before = identity.beside(database).read_bytes()
    database.unlink()
    visits(0)
    identity.beside(database).write_bytes(before)
    assert visits(0) == ""


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"database": 1, "session": 1, "run": 1}', '{"database": "a", "session": -1, "run": 1}'],
)
def test_a_spoiled_note_beside_the_file_costs_nothing(
    text: str, visits: Any, ask: Any, database: Path
) -> None:
    visits(2)
    identity.beside(database).write_text(text, encoding="utf-8")
    assert visits(1) == ""
    assert ids(ask, database) == [1, 2, 3]
    found = identity.read(database)
    assert found is not None
    assert found.session == 3


def test_a_note_that_cannot_be_written_holds_up_no_visit(visits: Any, ask: Any, database: Path) -> None:
    identity.beside(database).mkdir(parents=True)
    assert visits(2) == ""
    assert ids(ask, database) == [1, 2]


def other_database(path: Path, text: str) -> bytes:
    connection = choose().module.connect(path)
    connection.executescript(text)
    connection.close()
    return path.read_bytes()


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE photo (a); INSERT INTO photo VALUES (1)",
        "CREATE TABLE session (id INTEGER, token TEXT); CREATE TABLE run (id INTEGER)",
        "PRAGMA application_id = 77; CREATE TABLE run (a); CREATE TABLE session (a)",
        "PRAGMA user_version = 3",
    ],
)
def test_a_database_of_another_program_is_kept_as_it_is(
    text: str, visits: Any, ask: Any, database: Path
) -> None:
    before = other_database(database, text)
    warning = visits(1)
    assert "another program" in warning
    (kept,) = database.parent.glob("visits.damaged-*.db")
    assert kept.read_bytes() == before
    assert told(ask, database, "log_moved_aside") == [warning]
    assert summary(database)["n"] == 1


def test_a_log_with_the_mark_of_another_program_is_not_ours(visits: Any, database: Path) -> None:
    visits(1)
    other_database(database, "PRAGMA application_id = 77")
    assert "another program" in visits(0)


def test_what_a_full_disk_left_of_a_new_file_is_removed(visits: Any, database: Path) -> None:
    visits(1)
    for name in ("visits.db.new", "visits.db.new-journal", "visits.db.new-wal"):
        database.with_name(name).write_bytes(b"half a file")
    assert visits(0) == ""
    assert not list(database.parent.glob("visits.db.new*"))


@pytest.mark.parametrize("step", ["visits.damaged-", "visits.db"])
def test_an_exchange_that_was_cut_off_is_completed_by_the_next_start(
    step: str, begin: Any, visit: Any, ask: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut before the damaged file is moved aside, and after that, before the new one has its name."""
    writing = begin()
    for event in visit(1, 1.0, 9.0):
        writing.write(event)
    assert writing.log.stop(5.0)
    content = bytearray(database.read_bytes())
    content[-4096:] = b"\xff" * 4096
    database.write_bytes(content)
    rename = Path.rename

    def cut(self: Path, target: Path) -> Path:
        if target.name == step or (step.endswith("-") and target.name.startswith(step)):
            raise OSError("the power went")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", cut)
    log = begin(sleep=lambda _: None).log
    wait_until(lambda: "the power went" in log.state().error)
    log.stop(0.2)
    monkeypatch.undo()
    assert database.with_name("visits.db.next").exists()
    writing = begin()
    for event in visit(2, 20.0, 29.0):
        writing.write(event)
    assert writing.log.stop(5.0)
    rows = ask(database, "SELECT id, duration_s, end_reason FROM session ORDER BY id")
    assert [tuple(row.values()) for row in rows] == [(1, 8.0, "off"), (2, 9.0, "off")]
    assert "about to be replaced" in writing.log.state().warning
    assert len(list(database.parent.glob("visits.damaged-*.db"))) == 1
    assert not database.with_name("visits.db.next").exists()
