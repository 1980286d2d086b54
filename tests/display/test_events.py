"""Event times, bounded queues, and the measure of vertical sync, with clocks of our own."""

from __future__ import annotations

import logging
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from display.events import (
    MERGE_MOVES_FROM,
    MOST_CONTACTS,
    MOST_POINTER_EVENTS,
    EventQueue,
    PointerEvent,
    PointerKind,
)
from display.server_time import WRAP_MS, event_time_s
from display.window import flips_wait


@pytest.mark.parametrize("age_s", [0.0, 0.004, 0.5, 0.999])
@pytest.mark.parametrize("now_s", [12.5, 86_400.25, WRAP_MS / 1000 + 0.25, 3 * WRAP_MS / 1000 + 900])
def test_server_stamps_become_host_times(now_s: float, age_s: float) -> None:
    stamp_ms = int((now_s - age_s) * 1000) % WRAP_MS
    assert event_time_s(stamp_ms, now_s) == pytest.approx(now_s - age_s, abs=0.0011)
    assert event_time_s(stamp_ms, now_s) <= now_s


@pytest.mark.parametrize("off_ms", [-5, 1_500, 10_000_000, WRAP_MS // 2])
def test_stamps_of_another_clock_are_replaced_by_now(off_ms: int) -> None:
    now_s = 5_000.0
    assert event_time_s((5_000_000 - off_ms) % WRAP_MS, now_s) == now_s


def test_pointer_events_come_once_and_in_order() -> None:
    events = EventQueue()
    put = [PointerEvent(kind, 1.0, 2.0, 3.0) for kind in ("press", "move", "release", "move")]
    for event in put:
        events.put_pointer(event)
    assert events.take_pointer() == put
    assert events.take_pointer() == []


def test_a_flood_of_moves_keeps_every_press() -> None:
    events = EventQueue()
    for number in range(100_000):
        events.put_pointer(PointerEvent("move", number, number, 0.0))
        if number % 1000 == 0:
            events.put_pointer(PointerEvent("press", number, number, 0.0))
    taken = events.take_pointer()
    assert sum(event.kind == "press" for event in taken) == 100
    assert len(taken) <= MERGE_MOVES_FROM + 200
    assert taken[-1].x == 99_999
    assert [event.at_s for event in taken] == sorted(event.at_s for event in taken)


def contacts(taken: list[PointerEvent]) -> list[PointerEvent]:
    return [event for event in taken if event.kind != "move"]


def test_queues_that_nobody_takes_stay_bounded() -> None:
    events = EventQueue()
    for number in range(3 * MOST_POINTER_EVENTS):
        events.put_pointer(PointerEvent("press", number, 0.0, 0.0))
        events.put_key("d")
        events.put_resize(number, number)
    taken = events.take_pointer()
    assert len(taken) == MOST_CONTACTS
    assert events.merged_contacts == 3 * MOST_POINTER_EVENTS - MOST_CONTACTS
    assert len(events.take_keys()) <= MOST_POINTER_EVENTS
    assert events.take_resizes()[-1] == (3 * MOST_POINTER_EVENTS - 1,) * 2


@pytest.mark.parametrize("moves", [0, 1, 30])
def test_no_contact_is_dropped_the_oldest_pairs_are_merged_and_counted(moves: int) -> None:
    events, given = EventQueue(), 5000
    for number in range(given):
        for step, kind in enumerate(("press", "release")):
            events.put_pointer(PointerEvent(kind, 2.0 * number + step, float(number), 0.0))
            for move in range(moves):
                events.put_pointer(PointerEvent("move", 2.0 * number + step + move / 100, 0.0, 0.0))
    taken = events.take_pointer()
    told = contacts(taken)
    assert [event.kind for event in told] == ["press", "release"] * (MOST_CONTACTS // 2)
    assert (told[0].at_s, told[-1].at_s) == (0.0, 2.0 * given - 1)
    assert len(told) + 2 * events.merged_contacts == 2 * given
    # The newest contacts are whole: only the first of what is told reaches over merged ones.
    assert [event.at_s for event in told[2:]] == [
        2.0 * given - (MOST_CONTACTS - 2) + n for n in range(MOST_CONTACTS - 2)
    ]
    assert len(taken) <= MOST_POINTER_EVENTS
    assert [event.at_s for event in taken] == sorted(event.at_s for event in taken)
    if moves:
        assert taken[-1].kind == "move"


def test_up_to_256_contacts_come_through_one_by_one() -> None:
    events = EventQueue()
    for number in range(MOST_CONTACTS):
        events.put_pointer(PointerEvent("release" if number % 2 else "press", number, 0.0, 0.0))
    assert [event.at_s for event in events.take_pointer()] == list(range(MOST_CONTACTS))
    assert events.merged_contacts == 0
    events.put_pointer(PointerEvent("press", 1.0, 0.0, 0.0))
    assert len(events.take_pointer()) == 1


@given(st.lists(st.sampled_from(["press", "release", "move"]), max_size=40), st.sampled_from([1, 40]))
@settings(max_examples=100, deadline=None)
def test_whatever_comes_the_light_ends_as_it_was_left(some: list[PointerKind], times: int) -> None:
    events, kinds = EventQueue(), some * times
    for number, kind in enumerate(kinds):
        events.put_pointer(PointerEvent(kind, number, 0.0, 0.0))
    told = contacts(events.take_pointer())
    left = [kind for kind in kinds if kind != "move"]
    assert len(told) <= MOST_CONTACTS
    if left:
        assert told[-1].kind == left[-1]
        numbered = [(number, kind) for number, kind in enumerate(kinds) if kind != "move"]
        changes = [after[0] for before, after in pairwise(numbered) if before[1] != after[1]]
        assert told[-1].at_s >= (changes or [numbered[0][0]])[-1]
    if left and left[0] == "press":
        assert told[0].at_s == next(number for number, kind in enumerate(kinds) if kind != "move")
    if len(left) <= MOST_CONTACTS:
        assert len(told) == len(left)


@pytest.mark.parametrize("lit", [False, True])
def test_a_change_after_many_that_said_nothing_new_is_kept(lit: bool) -> None:
    events = EventQueue()
    for number in range(MOST_CONTACTS):
        events.put_pointer(PointerEvent("release" if lit else "press", number, 0.0, 0.0))
    events.put_pointer(PointerEvent("press" if lit else "release", 999.0, 0.0, 0.0))
    told = events.take_pointer()
    assert (told[-1].kind, told[-1].at_s, len(told)) == ("press" if lit else "release", 999.0, MOST_CONTACTS)


def test_the_first_merging_is_told(caplog: pytest.LogCaptureFixture) -> None:
    events = EventQueue()
    with caplog.at_level(logging.WARNING):
        for number in range(3 * MOST_CONTACTS):
            events.put_pointer(PointerEvent("release" if number % 2 else "press", number, 0.0, 0.0))
    assert len(caplog.records) == 1


@pytest.mark.parametrize(("flip_s", "waits"), [(0.0166, True), (0.012, True), (0.004, False), (0.0, False)])
def test_vsync_is_measured(flip_s: float, waits: bool) -> None:
    clock_s = [0.0]

    def flip() -> None:
        clock_s[0] += flip_s

    assert flips_wait(flip, 1 / 60, lambda: clock_s[0]) is waits


def test_one_slow_flip_is_not_vsync() -> None:
    clock_s, flips = [0.0], [0]

    def flip() -> None:
        flips[0] += 1
        clock_s[0] += 0.5 if flips[0] == 1 else 0.001

    assert not flips_wait(flip, 1 / 60, lambda: clock_s[0])
