"""The mouse's contacts in order, and the simulated visitor's habits."""

from __future__ import annotations

import itertools

import pytest

from controller.inputs.demo import DemoSource
from controller.inputs.mouse import MouseSource
from controller.inputs.settings import DemoSettings
from controller.stepper import ManualClock
from display.events import PointerEvent

SIZE = (1280, 720)


class Hand:
    """Events waiting to be taken, as the window would give them."""

    def __init__(self) -> None:
        self.waiting: list[PointerEvent] = []

    def take(self) -> list[PointerEvent]:
        taken, self.waiting = self.waiting, []
        return taken


def test_a_press_and_release_between_two_ticks_are_both_seen() -> None:
    hand = Hand()
    mouse = MouseSource(hand.take, ManualClock(5.0))
    hand.waiting = [PointerEvent("press", 4.990, 10, 20), PointerEvent("release", 4.995, 12, 20)]
    first, second, third = (mouse.poll(tick) for tick in (1, 2, 3))
    assert (first.on, first.at_s, first.x) == (True, 4.990, 10)
    assert (second.on, second.at_s, second.x) == (False, 4.995, 12)
    assert (third.on, third.at_s) == (False, 5.0)


def test_the_mouse_answers_also_when_its_button_is_let_go() -> None:
    hand = Hand()
    mouse = MouseSource(hand.take, ManualClock(5.0))
    hand.waiting = [PointerEvent("press", 4.990, 10, 20), PointerEvent("release", 4.995, 12, 20)]
    samples = [mouse.poll(tick) for tick in range(6)]
    assert [sample.alive for sample in samples] == [True] * 6
    assert [sample.reason for sample in samples] == ["", *["off"] * 5]


def test_a_hundred_clicks_in_one_tick_come_out_one_contact_a_tick() -> None:
    hand = Hand()
    mouse = MouseSource(hand.take, ManualClock())
    hand.waiting = [
        PointerEvent(kind, k + part, k, 0)
        for k in range(100)
        for kind, part in (("press", 0.0), ("release", 0.5))
    ]
    samples = [mouse.poll(tick) for tick in range(300)]
    edges = [now.on for before, now in itertools.pairwise(samples) if now.on != before.on]
    assert samples[0].on
    assert len(edges) == 199


def test_the_newest_position_wins() -> None:
    hand = Hand()
    mouse = MouseSource(hand.take, ManualClock())
    hand.waiting = [PointerEvent("press", 0.0, 1, 1), *(PointerEvent("move", 0.0, x, 7) for x in range(50))]
    mouse.poll(1)
    sample = mouse.poll(2)
    assert (sample.on, sample.x, sample.y) == (True, 49, 7)


def test_the_same_seed_is_the_same_visitor() -> None:
    clock = ManualClock()
    one, two = (DemoSource(DemoSettings(), SIZE, 4, clock) for _ in range(2))
    other = DemoSource(DemoSettings(), SIZE, 5, clock)
    path = [[(s.on, s.x, s.y) for s in map(demo.poll, range(3000))] for demo in (one, two, other)]
    assert path[0] == path[1] != path[2]


def test_the_visitor_holds_and_rests_as_set_and_stays_on_the_screen() -> None:
    """Two hours of visits: mean hold 8 s, mean rest 3 s, each within half and one and a half."""
    demo = DemoSource(DemoSettings(hold_s=8.0, rest_s=3.0), SIZE, 1, ManualClock())
    lengths: dict[bool, list[int]] = {True: [], False: []}
    before, run = False, 0
    for tick in range(7200 * 60):
        sample = demo.poll(tick)
        assert 0 <= sample.x <= SIZE[0]
        assert 0 <= sample.y <= SIZE[1]
        if sample.on == before:
            run += 1
        else:
            lengths[before].append(run)
            before, run = sample.on, 1
    for lit, mean_s in ((True, 8.0), (False, 3.0)):
        seconds = [length / 60 for length in lengths[lit][1:]]
        assert abs(sum(seconds) / len(seconds) - mean_s) < 0.1 * mean_s
        assert 0.5 * mean_s - 0.1 <= min(seconds) <= max(seconds) <= 1.5 * mean_s + 0.1


def test_the_hand_eases_in_and_out() -> None:
    """While lit the hand never jumps: at most 2.5 % of the longest way a tick."""
    demo = DemoSource(DemoSettings(hold_s=60.0), SIZE, 2, ManualClock())
    samples = [demo.poll(tick) for tick in range(6000)]
    steps = [
        ((b.x - a.x) ** 2 + (b.y - a.y) ** 2) ** 0.5 for a, b in itertools.pairwise(samples) if a.on and b.on
    ]
    assert max(steps) <= 0.025 * (SIZE[0] ** 2 + SIZE[1] ** 2) ** 0.5
    assert max(steps) > 2.0


@pytest.mark.parametrize("size", [(320, 240), (1280, 100), (200, 720)])
def test_the_hand_keeps_its_place_on_the_wall_when_the_screen_changes(size: tuple[int, int]) -> None:
    demo = DemoSource(DemoSettings(hold_s=60.0), SIZE, 3, ManualClock())
    for tick in range(1000):
        before = demo.poll(tick)
    demo.resize(size)
    after = demo.poll(1000)
    assert after.x / size[0] == pytest.approx(before.x / SIZE[0], abs=0.02)
    assert after.y / size[1] == pytest.approx(before.y / SIZE[1], abs=0.02)


@pytest.mark.parametrize("size", [(320, 240), (1280, 100), (200, 720)])
def test_the_hand_is_on_a_smaller_screen_at_once(size: tuple[int, int]) -> None:
    """Whatever the hand was doing when the window shrank, also while it was on its way."""
    for ticks in range(0, 3000, 60):
        demo = DemoSource(DemoSettings(hold_s=60.0), SIZE, 3, ManualClock())
        for tick in range(ticks):
            demo.poll(tick)
        demo.resize(size)
        for tick in range(600):
            sample = demo.poll(ticks + tick)
            assert 0 <= sample.x <= size[0]
            assert 0 <= sample.y <= size[1]
