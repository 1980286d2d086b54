"""What stands in the database: written-out types, ids for ever, runs, migration, one writer."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from logs.engine import choose
from logs.lock import AlreadyRunning
from logs.questions import sessions, summary
from logs.schema import TABLES
from logs.settings import LogSettings
from logs.store import Store
from logs.visits import Beat, Ended, Started, Visits


def test_a_session_stands_as_it_was(begin: Any, visit: Any, ask: Any, clock: Any) -> None:
    writing = begin(size_px=lambda: (100.0, 200.0), zone="Asia/Tokyo", version="1.2", **clock.clocks())
    for event in visit(1, clock.at_s, clock.at_s + 12.0):
        writing.write(event)
    assert writing.log.stop(5.0)
    (row,) = ask(writing.path, "SELECT * FROM session")
    assert [row[name] for name in ("start_x", "start_y", "end_x", "end_y")] == [0.1, 0.1, 0.3, 0.2]
    assert (row["source"], row["end_reason"], row["demo"], row["zone"]) == ("mouse", "off", 0, "Asia/Tokyo")
    (run,) = ask(writing.path, "SELECT * FROM run")
    assert (run["version"], run["end_reason"]) == ("1.2", "clean")


def test_a_row_stands_from_on_and_each_beat_is_kept(begin: Any, ask: Any, clock: Any) -> None:
    writing, visits = begin(**clock.clocks()), Visits(LogSettings())
    kinds = []
    for tick in range(151):
        event = visits.step(tick, clock.at_s + tick / 60, True, 0, 0, "camera")
        if event is not None:
            writing.write(event)
            (row,) = ask(writing.path, "SELECT * FROM session")
            kinds.append((type(event), row["end_reason"], round(row["duration_s"], 6)))
    assert kinds == [(Started, "open", 0.0), (Beat, "open", 1.0), (Beat, "open", 2.0)]


def test_durations_are_real_numbers_even_when_the_first_one_is_whole(
    begin: Any, visit: Any, ask: Any
) -> None:
    writing = begin()
    for event in visit(1, 100.0, 141.0):
        writing.write(event)
    assert writing.log.stop(5.0)
    (row,) = ask(writing.path, "SELECT typeof(duration_s) AS kind, duration_s FROM session")
    assert row == {"kind": "real", "duration_s": 41.0}
    engine = choose()
    connection = engine.module.connect(writing.path)
    with pytest.raises(engine.module.IntegrityError, match="TEXT"):
        connection.execute("UPDATE session SET duration_s = 'long'")
    with pytest.raises(engine.module.IntegrityError, match="CHECK"):
        connection.execute("UPDATE session SET duration_s = -1")
    connection.close()
    strict = ask(writing.path, "SELECT name, strict FROM pragma_table_list")
    assert {row["name"]: row["strict"] for row in strict if row["name"] in TABLES} == dict.fromkeys(TABLES, 1)


def test_a_file_of_version_1_opens_and_keeps_its_rows(
    begin: Any, visit: Any, ask: Any, database: Path, old_file: Any
) -> None:
    old_file(database, 1)
    assert [row["duration_s"] for row in sessions(database)] == [41.35]
    writing = begin()
    for event in visit(1, 5.0, 15.0):
        writing.write(event)
    writing.log.note("input_connected", {"input": "torch"})
    assert writing.log.stop(5.0)
    assert [row["duration_s"] for row in ask(database, "SELECT * FROM session_valid")] == [41.35, 10.0]
    assert ask(database, "PRAGMA user_version") == [{"user_version": 5}]
    assert [row["kind"] for row in ask(database, "SELECT kind FROM event")] == ["input_connected"]
    copy = database.with_name("visits.before-migration.db")
    assert ask(copy, "PRAGMA user_version") == [{"user_version": 1}]
    assert len(ask(copy, "SELECT * FROM session")) == 1


def test_opening_a_current_file_makes_no_copy(begin: Any, database: Path) -> None:
    for _ in range(2):
        assert begin().log.stop(5.0)
    assert sorted(file.name for file in database.parent.iterdir()) == [
        "visits.db",
        "visits.db.identity",
        "visits.db.lock",
    ]


def test_ids_go_on_after_a_restart_even_when_rows_were_deleted(
    begin: Any, visit: Any, ask: Any, database: Path
) -> None:
    seen: set[int] = set()
    for count in (3, 2):
        writing = begin()
        for number in range(1, count + 1):
            for event in visit(number, number * 10.0, number * 10.0 + 5.0):
                writing.write(event)
        assert writing.log.stop(5.0)
        ids = {row["id"] for row in ask(database, "SELECT id FROM session")}
        assert len(ids) == count
        assert not ids & seen
        seen |= ids
        connection = choose().module.connect(database)
        connection.execute("DELETE FROM session")
        connection.commit()
        connection.close()
    assert len(seen) == 5


def test_on_and_off_from_different_threads_and_a_report_from_a_third(
    begin: Any, visit: Any, database: Path
) -> None:
    writing = begin()
    on, off = visit(1, 10.0, 20.0)
    for event in (on, off):
        thread = threading.Thread(target=writing.write, args=(event,))
        thread.start()
        thread.join()
        assert isinstance(summary(database)["n"], int)
    assert summary(database)["n"] == 1
    assert len(sessions(database)) == 1
    assert (writing.log.state().error, writing.log.state().queue_length) == ("", 0)


def test_writing_an_event_again_changes_nothing(begin: Any, visit: Any, ask: Any) -> None:
    writing = begin()
    on, off = visit(1, 10.0, 20.0)
    later_on, _ = visit(2, 30.0, 40.0)
    for event in (on, on, off, off, later_on, on, off, later_on):
        writing.write(event)
    rows = ask(writing.path, "SELECT duration_s, end_reason FROM session ORDER BY id")
    assert [(row["duration_s"], row["end_reason"]) for row in rows] == [(10.0, "off"), (0.0, "open")]


def test_an_end_whose_beginning_was_never_written_is_still_a_session(
    begin: Any, visit: Any, ask: Any
) -> None:
    writing = begin()
    writing.write(visit(1, 10.0, 20.0)[1])
    (row,) = ask(writing.path, "SELECT * FROM session")
    assert (row["duration_s"], row["end_reason"], row["off_at_us"] - row["on_at_us"]) == (
        10.0,
        "off",
        10_000_000,
    )


def test_a_second_on_closes_the_session_left_open(begin: Any, visit: Any, ask: Any) -> None:
    writing = begin()
    writing.write(visit(1, 10.0, 20.0)[0])
    writing.write(visit(2, 30.0, 40.0)[0])
    rows = ask(writing.path, "SELECT end_reason FROM session ORDER BY id")
    assert [row["end_reason"] for row in rows] == ["recovered", "open"]
    engine = choose()
    connection = engine.module.connect(writing.path)
    with pytest.raises(engine.module.IntegrityError, match="UNIQUE"):
        connection.execute("UPDATE session SET end_reason = 'open'")
    connection.close()


class Batches:
    """How many entries the writer tried to store at a time; the first try waits until it may go."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.begun = threading.Event()

    def spying_on(self, write: Any, go: threading.Event) -> Any:
        def spy(store: Store, entries: Any) -> None:
            self.sizes.append(len(entries))
            self.begun.set()
            assert go.wait(30)
            write(store, entries)

        return spy


@pytest.mark.parametrize("place", [0, 3])
def test_one_entry_the_database_refuses_does_not_hold_up_the_others(
    place: int, begin: Any, visit: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches, go = Batches(), threading.Event()
    monkeypatch.setattr(Store, "write", batches.spying_on(Store.write, go))
    writing = begin(sleep=lambda wait_s: None)
    bad = Ended(7, None, False, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0, "off")  # type: ignore[arg-type]
    writing.log.put(visit(1, 10.0, 20.0)[1])  # the writer takes this one and is held with it
    assert batches.begun.wait(30)
    events = [visit(number, number * 10.0, number * 10.0 + 5.0)[1] for number in range(2, 152)]
    for event in [*events[:place], bad, *events[place:]]:
        writing.log.put(event)
    go.set()
    assert writing.log.stop(20.0)
    starts = [row["on_mono_s"] for row in ask(writing.path, "SELECT on_mono_s FROM session ORDER BY id")]
    assert starts == [number * 10.0 for number in range(1, 152)]
    assert writing.log.state().refused == 1
    before_bad = [64, 1] * place
    assert batches.sizes == [1, *before_bad, 64, 1, 1, 64, 64, 150 - place - 1 - 128]


HOLDER = """
import sys
from pathlib import Path
from logs.writer import Log
log = Log(Path(sys.argv[1]))
print("holds", flush=True)
sys.stdin.read()
log.stop(20.0)
"""


def test_a_second_show_on_the_same_home_is_refused_by_name(
    begin: Any, database: Path, checkout: Path
) -> None:
    command = [sys.executable, "-c", HOLDER, str(database)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=checkout) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holds\n"
        with pytest.raises(AlreadyRunning, match=str(database.parent)):
            begin()
        other.communicate(timeout=30)
    assert begin().log.stop(5.0)


def test_none_is_ignored_and_a_broken_window_costs_no_session(begin: Any, visit: Any, ask: Any) -> None:
    def no_window() -> tuple[float, float]:
        raise AttributeError("closed")

    writing = begin(size_px=no_window)
    writing.log.put(None)
    for event in visit(1, 10.0, 20.0):
        writing.write(event)
    assert len(ask(writing.path, "SELECT * FROM session")) == 1


def test_a_full_queue_counts_what_it_turns_away(begin: Any, visit: Any, database: Path) -> None:
    engine = choose()
    assert begin().log.stop(5.0)
    browser = engine.module.connect(database, isolation_level=None)
    browser.execute("BEGIN IMMEDIATE")
    writing = begin(limit=6, sleep=lambda wait_s: threading.Event().wait(0.001))
    for number in range(1, 6):
        for event in visit(number, number * 10.0, number * 10.0 + 5.0):
            writing.log.put(event)
    assert (writing.log.state().queue_length, writing.log.state().dropped) == (6, 4)
    browser.close()
    assert writing.log.stop(20.0)
    assert summary(database)["n"] == 3
