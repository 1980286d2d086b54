"""Event times, bounded queues, and the measure of vertical sync, with clocks of our own."""

from __future__ import annotations

import pytest

from display.events import MERGE_MOVES_FROM, MOST_POINTER_EVENTS, Inbox, PointerEvent
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
    inbox = Inbox()
    events = [PointerEvent(kind, 1.0, 2.0, 3.0) for kind in ("press", "move", "release", "move")]
    for event in events:
        inbox.put_pointer(event)
    assert inbox.take_pointer() == events
    assert inbox.take_pointer() == []


def test_a_flood_of_moves_keeps_every_press() -> None:
    inbox = Inbox()
    for number in range(100_000):
        inbox.put_pointer(PointerEvent("move", number, number, 0.0))
        if number % 1000 == 0:
            inbox.put_pointer(PointerEvent("press", number, number, 0.0))
    taken = inbox.take_pointer()
    assert sum(event.kind == "press" for event in taken) == 100
    assert len(taken) <= MERGE_MOVES_FROM + 200
    assert taken[-1].x == 99_999
    assert [event.at_s for event in taken] == sorted(event.at_s for event in taken)


def test_queues_that_nobody_takes_stay_bounded() -> None:
    inbox = Inbox()
    for number in range(3 * MOST_POINTER_EVENTS):
        inbox.put_pointer(PointerEvent("press", number, 0.0, 0.0))
        inbox.put_key("d")
        inbox.put_resize(number, number)
    assert len(inbox.take_pointer()) == MOST_POINTER_EVENTS
    assert len(inbox.take_keys()) <= MOST_POINTER_EVENTS
    assert inbox.take_resizes()[-1] == (3 * MOST_POINTER_EVENTS - 1,) * 2


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
