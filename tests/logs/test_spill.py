"""What the database does not take: kept in a spill file, and put into the log exactly once."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logs import writer
from logs.spill import Spill
from tests.logs.conftest import wait_until

# The clock of the child runs fifty times as fast, so that 5 s of refusal are a tenth of one.
CHILD = """
import sys, time
from pathlib import Path
from logs.settings import LogSettings
from logs.visits import Visits
from logs.writer import Log

log = Log(Path(sys.argv[1]), perf=lambda: time.perf_counter() * 50)
visits = Visits(LogSettings())
began_s = time.perf_counter() * 50
log.put(visits.step(0, began_s, True, 5.0, 5.0, "mouse"))
for second in range(1, 8):
    log.put(visits.step(second * 60, began_s + second, True, 5.0, 5.0, "mouse"))
while not log.state().spilled:
    time.sleep(0.01)
print(log.state().spill_file, flush=True)
time.sleep(60)
"""


@pytest.fixture
def stopped_while_held(begin: Any, held: Any, visit: Any, database: Path) -> Callable[..., Path]:
    """A run of which one visit stands in a spill file; gives the file."""

    def run(**options: Any) -> Path:
        assert begin().log.stop(5.0)
        lock = held()
        log = begin(sleep=lambda _: time.sleep(0.001), **options).log
        for event in visit(1, 1.0, 9.0):
            log.put(event)
        assert not log.stop(10.0)
        lock.close()
        assert (log.state().queue_length, log.state().spilled) == (0, 2)
        return Path(log.state().spill_file)

    return run


def test_visits_that_wait_when_the_show_ends_are_in_the_log_of_the_next_start(
    stopped_while_held: Any, begin: Any, ask: Any, database: Path
) -> None:
    file = stopped_while_held()
    assert file.parent == database.parent
    assert begin().log.stop(5.0)
    (row,) = ask(database, "SELECT * FROM session")
    assert (row["duration_s"], row["end_reason"]) == (8.0, "off")
    reasons = [row["end_reason"] for row in ask(database, "SELECT end_reason FROM run ORDER BY id")]
    assert reasons == ["clean"] * 3
    assert list(database.parent.glob("*spill*")) == []


def test_a_file_that_stays_after_it_was_taken_adds_nothing(
    stopped_while_held: Any, begin: Any, ask: Any, database: Path
) -> None:
    file = stopped_while_held()
    again = file.read_bytes()
    for _ in range(2):
        assert begin().log.stop(5.0)
        file.write_bytes(again)
    assert begin().log.stop(5.0)
    assert ask(database, "SELECT count(*) AS n, max(id) AS last FROM session") == [{"n": 1, "last": 1}]


def test_a_show_that_is_killed_while_the_log_is_held_loses_at_most_seconds(
    begin: Any, held: Any, ask: Any, database: Path
) -> None:
    assert begin().log.stop(5.0)
    lock = held()
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(database)], stdout=-1, text=True)
    assert child.stdout is not None
    assert "visits.spill-" in child.stdout.readline()
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    lock.close()
    assert begin().log.stop(5.0)
    (row,) = ask(database, "SELECT * FROM session")
    assert (row["end_reason"], round(row["duration_s"])) == ("recovered", 7)


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """full(folder): files of that folder take 100 more bytes, then the disk is full."""

    def fill(folder: Path) -> None:
        write = os.write

        def refuse(handle: int, data: bytes) -> int:
            if os.readlink(f"/proc/self/fd/{handle}").startswith(f"{folder}/visits.spill"):
                if len(data) <= 100:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return write(handle, data[:100])
            return write(handle, data)

        monkeypatch.setattr("logs.spill.os.write", refuse)

    return fill


def test_a_full_home_spills_into_another_folder_and_leaves_no_half_line(
    stopped_while_held: Any, full: Any, begin: Any, ask: Any, database: Path, tmp_path: Path
) -> None:
    full(database.parent)
    other = tmp_path / "other"
    file = stopped_while_held(spill_at=[other])
    assert file.parent == other
    assert all(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    assert list(database.parent.glob("*spill*")) == []
    assert begin().log.stop(5.0)
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 0}]
    assert begin(spill_at=[other]).log.stop(5.0)
    assert ask(database, "SELECT count(*) AS n FROM session") == [{"n": 1}]
    assert list(other.iterdir()) == []


def test_another_home_leaves_the_spilled_visits_of_this_one_alone(
    stopped_while_held: Any, full: Any, begin: Any, ask: Any, database: Path, tmp_path: Path
) -> None:
    full(database.parent)
    file = stopped_while_held(spill_at=[tmp_path / "other"])
    elsewhere = tmp_path / "another home" / "visits.db"
    assert begin(elsewhere, spill_at=[tmp_path / "other"]).log.stop(5.0)
    assert file.exists()
    assert ask(elsewhere, "SELECT count(*) AS n FROM session") == [{"n": 0}]


def test_lines_that_are_no_entries_are_kept_and_told_the_others_taken(
    stopped_while_held: Any, begin: Any, ask: Any, database: Path
) -> None:
    file = stopped_while_held()
    head, started, ended, end = file.read_bytes().splitlines(keepends=True)
    strange = json.loads(ended)
    strange["row"] = {"uuid": "another"}
    bad = [b"no json\n", b'{"kind": "Nothing"}\n', json.dumps(strange).encode() + b"\n"]
    file.write_bytes(b"".join([head, started, *bad, ended, end, b'{"kind": "cut in wri']))
    writing = begin()
    wait_until(lambda: writing.log.state().open)
    assert "3 lines cannot be read" in writing.log.state().warning
    assert writing.log.stop(5.0)
    (row,) = ask(database, "SELECT * FROM session")
    assert (row["duration_s"], row["end_reason"]) == (8.0, "off")
    assert [found.name for found in database.parent.glob("*spill*")] == [f"{file.name}.unread"]


def test_a_cut_anywhere_in_the_spill_file_costs_no_more_than_what_came_after(
    stopped_while_held: Any, begin: Any, ask: Any, database: Path
) -> None:
    file = stopped_while_held()
    whole = file.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(0, len(whole), 173):
        database.unlink()
        database.with_name("visits.db.identity").unlink(missing_ok=True)
        file.write_bytes(whole[:cut])
        assert begin().log.stop(5.0)
        file.unlink(missing_ok=True)
        reasons = [row["end_reason"] for row in ask(database, "SELECT end_reason FROM session")]
        assert reasons == (["off"] if cut >= ends[2] else ["recovered"] if cut >= ends[1] else [])


def test_spilled_visits_come_into_the_running_log_before_those_after_them(
    begin: Any, held: Any, visit: Any, clock: Any, ask: Any, database: Path
) -> None:
    writing = begin(sleep=lambda _: time.sleep(0.001), **clock.clocks())
    wait_until(lambda: writing.log.state().open)
    lock = held()
    started, ended = visit(1, 0.0, 8.0)
    writing.log.put(started)
    wait_until(lambda: clock.advance(1.0) or writing.log.state().spilled == 1)
    writing.log.put(ended)
    for event in visit(2, 9.0, 20.0):
        writing.log.put(event)
    lock.close()
    wait_until(lambda: writing.log.state().queue_length + writing.log.state().spilled == 0)
    assert writing.log.stop(5.0)
    rows = ask(database, "SELECT id, duration_s, end_reason FROM session ORDER BY id")
    assert [tuple(row.values()) for row in rows] == [(1, 8.0, "off"), (2, 11.0, "off")]
    assert list(database.parent.glob("*spill*")) == []


def test_spilled_visits_come_into_a_log_to_which_nothing_more_happens(
    begin: Any, held: Any, visit: Any, clock: Any, ask: Any, database: Path
) -> None:
    writing = begin(sleep=lambda _: time.sleep(0.001), **clock.clocks())
    wait_until(lambda: writing.log.state().open)
    lock = held()
    for event in visit(1, 0.0, 8.0):
        writing.log.put(event)
    wait_until(lambda: clock.advance(1.0) or writing.log.state().spilled == 2)
    lock.close()
    wait_until(lambda: writing.log.state().spilled == 0)
    assert [row["duration_s"] for row in ask(database, "SELECT duration_s FROM session")] == [8.0]
    assert writing.log.stop(5.0)


def test_a_spill_file_that_goes_while_the_log_is_held_costs_what_was_in_it_and_no_more(
    begin: Any, held: Any, visit: Any, ask: Any, clock: Any, database: Path
) -> None:
    writing = begin(sleep=lambda _: time.sleep(0.001), **clock.clocks())
    wait_until(lambda: writing.log.state().open)
    lock = held()
    for number in (1, 2):
        for event in visit(number, number * 10.0, number * 10.0 + 8.0):
            writing.log.put(event)
        wait_until(lambda: bool(writing.log.state().error))
        clock.advance(writer.SPILL_AFTER_S + 1)
        wait_until(lambda: writing.log.state().queue_length == 0 < writing.log.state().spilled)
        file = Path(writing.log.state().spill_file)
        assert file.exists()
        if number == 1:
            file.unlink()
    lock.close()
    wait_until(lambda: writing.log.state().spilled == 0)
    assert writing.log.stop(5.0)
    assert [row["duration_s"] for row in ask(database, "SELECT * FROM session")] == [8.0]
    assert [row["on_mono_s"] for row in ask(database, "SELECT * FROM session")] == [20.0]


def test_a_spill_file_that_another_process_writes_is_left_to_it(
    begin: Any, held: Any, ask: Any, database: Path
) -> None:
    assert begin().log.stop(5.0)
    lock = held()
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(database)], stdout=-1, text=True)
    assert child.stdout is not None
    file = Path(child.stdout.readline().strip())
    reader = Spill(database, [])
    assert reader.is_written_elsewhere(file)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    assert not reader.is_written_elsewhere(file)
    lock.close()
