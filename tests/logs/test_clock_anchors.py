"""A machine without a clock battery: wrong times after boot, put right by anchors when the network comes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from logs.engine import choose
from logs.questions import sessions
from logs.synchronised import boot_time_s, is_synchronised

DAY_S, HOUR_S = 86_400.0, 3_600.0
# 15 January 2027, 09:00 in Tokyo: a day after the wrong time at which every test starts the clock.
TRUE_STEP_S = DAY_S + 3 * HOUR_S


class Network:
    """Whether the wall clock is set by the network; None: the machine cannot tell."""

    def __init__(self, there: bool | None = False) -> None:
        self.there = there

    def __call__(self) -> bool | None:
        return self.there


@pytest.fixture
def show(begin: Any, clock: Any, visit: Any) -> Any:
    """show(network, numbers, step_s): one run of visits of 5 s, the wall clock stepped at its end."""

    def run(network: Network, numbers: range, step_s: float = 0.0) -> Any:
        writing = begin(zone="Asia/Tokyo", synchronised=network, **clock.clocks())
        for number in numbers:
            for event in visit(number, clock.at_s, clock.at_s + 5.0):
                writing.write(event)
            clock.advance(60.0)
        clock.step_wall(step_s)
        if step_s:
            network.there = True
            writing.write(visit(99, clock.at_s, clock.at_s + 1.0)[0])
        assert writing.log.stop(5.0)
        return writing

    return run


def dates(path: Any, ask: Any) -> list[tuple[str, int]]:
    return [(row["local_date"], row["local_hour"]) for row in ask(path, "SELECT * FROM session ORDER BY id")]


def test_visits_before_the_network_came_get_their_true_day_and_hour(show: Any, ask: Any, clock: Any) -> None:
    start = dates(show(Network(), range(1, 3)).path, ask)[0]
    writing = show(Network(), range(3, 5), TRUE_STEP_S)
    found = dates(writing.path, ask)
    assert found[-1] != start
    assert set(found) == {found[-1]}
    steps = ask(writing.path, "SELECT clock_step_ms FROM session ORDER BY id")
    assert [row["clock_step_ms"] for row in steps] == [TRUE_STEP_S * 1000] * 4 + [0]


def test_a_step_while_no_show_ran_is_found_by_the_next_start(
    show: Any, ask: Any, clock: Any, begin: Any
) -> None:
    show(Network(), range(1, 3))
    clock.advance(600.0)
    clock.step_wall(TRUE_STEP_S)
    writing = show(Network(True), range(3, 4))
    first, second, third = dates(writing.path, ask)
    assert first == second == third
    rows = ask(writing.path, "SELECT clock_step_ms FROM session ORDER BY id")
    assert [row["clock_step_ms"] for row in rows] == [TRUE_STEP_S * 1000] * 2 + [0]
    (note,) = ask(writing.path, "SELECT detail FROM event WHERE kind = 'clock_step'")
    assert json.loads(note["detail"]) == {"step_s": TRUE_STEP_S, "show": "stopped"}


@pytest.mark.parametrize("there", [False, None])
def test_a_clock_that_was_set_by_hand_is_believed_as_well(
    there: bool | None, show: Any, ask: Any, clock: Any
) -> None:
    show(Network(there), range(1, 3))
    clock.step_wall(TRUE_STEP_S)
    writing = show(Network(there), range(3, 4))
    found = dates(writing.path, ask)
    assert found[0] == found[1] == found[2]
    rows = ask(writing.path, "SELECT clock_step_ms FROM session ORDER BY id")
    assert [row["clock_step_ms"] for row in rows] == [TRUE_STEP_S * 1000] * 2 + [0]


@pytest.mark.parametrize("ends", ["held", "killed"])
def test_a_step_is_marked_once_whatever_happens_between_it_and_the_next_start(
    ends: str, begin: Any, clock: Any, visit: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log is held, so that the note of the step waits in a spill file; or no anchor comes after it."""
    writing = begin(sleep=lambda _: None, **clock.clocks())
    for event in visit(1, clock.at_s, clock.at_s + 5.0):
        writing.write(event)
    if ends == "held":
        lock = choose().module.connect(writing.path, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
    else:
        monkeypatch.setattr("logs.store.Store.anchor", lambda self, anchor: None)
    clock.advance(10.0)
    clock.step_wall(HOUR_S)
    writing.log.put(visit(2, clock.at_s, clock.at_s + 5.0)[0])
    writing.log.stop(10.0)
    if ends == "held":
        lock.close()
    monkeypatch.undo()
    clock.advance(60.0)
    assert begin(**clock.clocks()).log.stop(10.0)
    rows = ask(writing.path, "SELECT clock_step_ms, on_at_us FROM session ORDER BY id")
    assert [row["clock_step_ms"] for row in rows] == [HOUR_S * 1000, 0]
    assert ask(writing.path, "SELECT count(*) AS n FROM event WHERE kind = 'clock_step'") == [{"n": 1}]


def test_a_machine_with_a_zone_that_is_known_nowhere_else_keeps_its_offset(
    begin: Any, clock: Any, visit: Any, ask: Any
) -> None:
    writing = begin(zone="Asia/Tokyo", **clock.clocks())
    for event in visit(1, clock.at_s, clock.at_s + 5.0):
        writing.write(event)
    assert writing.log.stop(5.0)
    connection = choose().module.connect(writing.path)
    connection.execute("UPDATE session SET zone = 'JST'")
    connection.commit()
    connection.close()
    clock.advance(60.0)
    clock.step_wall(HOUR_S)
    assert begin(zone="Asia/Tokyo", **clock.clocks()).log.stop(5.0)
    (row,) = ask(writing.path, "SELECT local_hour, utc_offset_min, clock_step_ms FROM session")
    assert row == {"local_hour": 18, "utc_offset_min": 540, "clock_step_ms": HOUR_S * 1000}


def test_another_boot_has_another_monotonic_clock_and_is_left_alone(show: Any, ask: Any, clock: Any) -> None:
    path = show(Network(), range(1, 3)).path
    before = dates(path, ask)
    connection = choose().module.connect(path)
    connection.execute("UPDATE run SET boot_id = 'another boot'")
    connection.commit()
    connection.close()
    clock.step_wall(TRUE_STEP_S)
    writing = show(Network(True), range(3, 4))
    assert dates(writing.path, ask)[:2] == before
    assert ask(writing.path, "SELECT count(*) AS n FROM event WHERE kind = 'clock_step'") == [{"n": 0}]


def test_a_night_asleep_is_no_step_of_the_clock(begin: Any, clock: Any, visit: Any, ask: Any) -> None:
    asleep_s = [0.0]
    writing = begin(boot=lambda: clock.at_s + asleep_s[0], **clock.clocks())
    for event in visit(1, clock.at_s, clock.at_s + 5.0):
        writing.write(event)
    asleep_s[0] += 8 * HOUR_S
    clock.step_wall(8 * HOUR_S)  # the monotonic clock stood still, the wall clock went on
    for event in visit(2, clock.at_s + 10.0, clock.at_s + 15.0):
        writing.write(event)
    assert writing.log.stop(5.0)
    first, second = sessions(writing.path)
    assert (first["clock_step_s"], second["clock_step_s"]) == (0.0, 0.0)
    (note,) = ask(writing.path, "SELECT kind, detail FROM event WHERE kind IN ('slept', 'clock_step')")
    assert (note["kind"], json.loads(note["detail"])) == ("slept", {"asleep_s": 8 * HOUR_S})


def test_anchors_stand_at_the_start_each_hour_and_at_each_change(
    begin: Any, clock: Any, visit: Any, ask: Any
) -> None:
    network = Network()
    writing = begin(synchronised=network, **clock.clocks())
    for minute in range(150):
        network.there = minute >= 100
        for event in visit(minute + 1, clock.at_s, clock.at_s + 5.0):
            writing.write(event)
        clock.advance(60.0)
    assert writing.log.stop(5.0)
    rows = ask(writing.path, "SELECT * FROM clock_anchor ORDER BY id")
    assert [round(row["mono_s"] / 60) for row in rows] == [0, 60, 100]
    assert [row["synchronised"] for row in rows] == [0, 0, 1]


def test_this_machine_answers() -> None:
    assert is_synchronised() in (True, False, None)
    first = boot_time_s()
    assert boot_time_s() >= first > 0
