"""The writer thread outlives whatever it meets, loses no visit over it, and tells what it turned away."""

from __future__ import annotations

import json
import math
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logs.intake import Intake
from logs.questions import sessions
from logs.store import Store
from tests.logs.conftest import wait_until


class Unforeseen(Exception):
    """A kind of fault that nobody listed."""


def nap(wait_s: float) -> None:
    time.sleep(0.002)


def fail_first(times: int, work: Any) -> Any:
    """`work` behind so many faults, and the list of the calls."""
    calls: list[int] = []

    def failing(*values: Any) -> Any:
        calls.append(len(calls))
        if len(calls) <= times:
            raise Unforeseen("out of the blue")
        return work(*values)

    return failing


@pytest.mark.parametrize(
    ("owner", "method"), [(Store, "write"), (Store, "open"), (Intake, "collect"), (Store, "end_run")]
)
def test_a_fault_of_any_kind_anywhere_in_the_writer_costs_no_visit(
    owner: type, method: str, begin: Any, visit: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, method, fail_first(4, getattr(owner, method)))
    writing = begin(sleep=nap)
    for number in range(1, 6):
        for event in visit(number, number * 10.0, number * 10.0 + 5.0):
            writing.log.put(event)
    assert writing.log.stop(20.0)
    assert [row["duration_s"] for row in sessions(database)] == [5.0] * 5
    assert writing.log.state().refused == 0


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise Unforeseen("not even a text")


@pytest.mark.parametrize(("fault", "words"), [
    (Unforeseen("out of the blue"), "out of the blue"),
    (Unforeseen(), "Unforeseen"),
    (Unspeakable(), "Unspeakable"),
    (MemoryError(), "MemoryError"),
])  # fmt: skip
def test_a_lasting_fault_of_an_unknown_kind_is_told_and_the_visits_wait(
    fault: Exception, words: str, begin: Any, visit: Any, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise fault

    with monkeypatch.context() as broken:
        broken.setattr(Intake, "collect", fail)
        writing = begin(sleep=nap)
        writing.log.put(visit(1, 10.0, 20.0)[1])
        wait_until(lambda: words in writing.log.state().error)
        assert writing.log.state().queue_length == 1
    wait_until(lambda: writing.log.state().error == "")
    assert writing.log.state().queue_length == 0
    assert len(sessions(database)) == 1


def test_a_clock_that_cannot_be_read_loses_nothing_that_was_taken(begin: Any, visit: Any, clock: Any) -> None:
    broken = threading.Event()

    def wall_ns() -> int:
        if broken.is_set():
            raise Unforeseen("no clock")
        return int(clock.wall_ns)

    writing = begin(sleep=nap, perf=lambda: clock.at_s, wall_ns=wall_ns)
    wait_until(lambda: writing.log.state().open)
    broken.set()
    writing.log.put(visit(1, 10.0, 20.0)[1])
    wait_until(lambda: "no clock" in writing.log.state().error)
    assert writing.log.state().queue_length == 1
    broken.clear()
    assert writing.log.stop(20.0)
    assert len(sessions(writing.path)) == 1


class Spiteful:
    def __str__(self) -> str:
        raise Unforeseen("not my text")


def test_notes_from_many_threads_are_kept_and_bad_ones_counted(begin: Any, ask: Any) -> None:
    writing = begin(sleep=nap)
    circle: dict[str, Any] = {}
    circle["self"] = circle
    bad: list[tuple[Any, ...]] = [
        ("a", 5),
        ("b", {"x": Spiteful()}),
        ("c", circle),
        ("d", {}, math.nan),
        ("e", {}, "noon"),
        ("f", [1, 2]),
        ("g", np.array([1, 2])),
    ]

    def tell(number: int) -> None:
        for line in range(50):
            writing.log.note("input_lost", {"input": "camera", "thread": number, "line": line})
        writing.log.note(*bad[number])

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(len(bad))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writing.log.note("input_back", {"input": "camera"}, 5.0)
    assert writing.log.stop(20.0)
    assert writing.log.state().refused == len(bad)
    rows = ask(writing.path, "SELECT kind, detail, mono_s FROM event WHERE kind LIKE 'input%' ORDER BY id")
    assert (rows[-1]["kind"], rows[-1]["mono_s"]) == ("input_back", 5.0)
    told = [json.loads(row["detail"]) for row in rows[:-1]]
    for number in range(len(bad)):
        assert [detail["line"] for detail in told if detail["thread"] == number] == list(range(50))


def test_an_engine_that_is_merely_slower_is_a_note_and_a_moved_file_a_warning(
    begin: Any, database: Path
) -> None:
    from logs.engine import Engine, choose

    real = choose()
    slower = Engine(real.module, real.version, "DELETE", "", "slower, as safe")
    state = begin(engine=slower).log.state()
    assert (state.note, state.warning, state.error) == ("slower, as safe", "", "")
    elsewhere = database.with_name("other.db")
    elsewhere.write_bytes(b"junk" * 4096)
    writing = begin(path=elsewhere.parent / "sub" / "visits.db")
    assert writing.log.stop(20.0)
    assert writing.log.state().warning == ""
    writing.path.write_bytes(b"junk" * 4096)
    moved = begin(path=writing.path).log
    wait_until(lambda: moved.state().open)
    assert "kept as visits.damaged" in moved.state().warning
    assert moved.state().note == real.warning


def test_refused_entries_are_a_warning_and_tell_how_many(begin: Any, visit: Any) -> None:
    writing = begin(sleep=nap)
    writing.log.note("a", {}, math.inf)
    writing.write(visit(1, 10.0, 20.0)[1])
    state = writing.log.state()
    assert state.refused == 1
    assert "1 entry" in state.warning


def test_visits_put_without_a_known_size_are_counted_in_the_state(begin: Any, visit: Any) -> None:
    def no_window() -> tuple[float, float]:
        raise Unforeseen("closed")

    writing = begin(size_px=no_window)
    for event in visit(1, 10.0, 20.0):
        writing.write(event)
    assert writing.log.state().unsized == 2
