"""Runs, stops and tumbles: every change between them, against the article's branches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from controller.behavior.gait import change_gait, start_run, start_stop, start_tumble, tumble_turn
from tests.behavior.pairs import GAITS, Pair, cases

FIRST, LAST = 0.0, 0.9999
# Gait that ends, attracted, probability drawn (None: none is), gait that follows, numbers drawn.
CHANGES = [
    ("run", True, 0.09, "stop", 3),
    ("run", True, 0.1, "run", 4),
    ("run", True, FIRST, "stop", 3),
    ("run", True, LAST, "run", 4),
    ("run", False, 0.59, "stop", 2),
    ("run", False, 0.6, "tumble", 3),
    ("run", False, FIRST, "stop", 2),
    ("run", False, LAST, "tumble", 3),
    ("stop", True, None, "run", 3),
    ("stop", False, 0.69, "tumble", 3),
    ("stop", False, 0.7, "run", 4),
    ("tumble", True, None, "run", 3),
    ("tumble", False, None, "run", 3),
]


@pytest.mark.parametrize(("ends", "attracted", "drawn", "follows", "used"), CHANGES)
def test_what_follows_a_gait(
    ends: str, attracted: bool, drawn: float | None, follows: str, used: int
) -> None:
    """In the first world, which has the article's probabilities."""
    chosen = () if drawn is None else (drawn,)
    pair = Pair(0, (*chosen, 0.5, 0.5, 0.5), gait=GAITS.index(ends), gait_timer=1)
    change_gait(pair.bug, pair.world, np.int64(attracted), pair.draws)
    pair.twin.change_gait(pair.plain_world, attracted, pair.random)
    pair.assert_same()
    assert GAITS[pair.bug["gait"]] == follows
    assert pair.draws["spent"] == used


@pytest.mark.parametrize("gait", range(3))
@pytest.mark.parametrize("attracted", [0, 1])
def test_until_its_timer_is_over_a_gait_stays_and_nothing_is_drawn(gait: int, attracted: int) -> None:
    pair = Pair(1, gait=gait, gait_timer=2)
    for ticks_left in (1, 0):
        assert pair.bug["gait"] == gait
        assert pair.draws["spent"] == 0
        change_gait(pair.bug, pair.world, np.int64(attracted), pair.draws)
        pair.twin.change_gait(pair.plain_world, bool(attracted), pair.random)
        pair.assert_same()
        assert ticks_left == 0 or pair.bug["gait_timer"] == ticks_left
    assert pair.draws["spent"] > 0


def test_changes_at_random_under_any_constants_are_the_articles() -> None:
    for number in cases(1000):
        pair = Pair(number)
        attracted = number % 2
        change_gait(pair.bug, pair.world, np.int64(attracted), pair.draws)
        pair.twin.change_gait(pair.plain_world, bool(attracted), pair.random)
        pair.assert_same()


@pytest.mark.parametrize("u", [FIRST, 0.1499, 0.15, 0.5, LAST])
@pytest.mark.parametrize(
    ("start", "twin"), [(start_run, "next_run"), (start_stop, "next_stop"), (start_tumble, "next_tumble")]
)
def test_how_long_and_how_fast_a_gait_is(start, twin: str, u: float) -> None:  # type: ignore[no-untyped-def]
    for number in cases(100):
        pair = Pair(number, (u, u, u))
        start(pair.bug, pair.world, pair.draws)
        getattr(pair.twin, twin)(pair.plain_world, pair.random)
        pair.assert_same()


def test_the_articles_shortest_and_longest_gaits() -> None:
    """Runs of 30-149 ticks, the long ones of twice that; stops of 5-24, tumbles of 3-9 and 126 degrees."""
    times: dict[str, list[int]] = {"run": [], "stop": [], "tumble": []}
    for start, name in ((start_run, "run"), (start_stop, "stop"), (start_tumble, "tumble")):
        for u in ((FIRST, LAST, FIRST), (LAST, LAST, LAST), (FIRST, FIRST, LAST), (LAST, FIRST, FIRST)):
            pair = Pair(0, u)
            start(pair.bug, pair.world, pair.draws)
            times[name].append(int(pair.bug["gait_timer"]))
            assert name != "tumble" or abs(abs(pair.bug["tumble_amount"]) - math.radians(126)) < 1e-3
    assert times == {"run": [30, 149, 60, 299], "stop": [5, 24, 5, 24], "tumble": [3, 9, 3, 9]}


def test_a_tick_turns_an_eighth_of_a_tumble() -> None:
    pair = Pair(0, tumble_amount=2.0)
    assert tumble_turn(pair.bug, pair.world) == 0.25
    for number in cases(200):
        pair = Pair(number)
        expected = pair.twin.tumble_amount / pair.plain_world.tumble_spread_ticks
        assert tumble_turn(pair.bug, pair.world) == pytest.approx(expected, abs=1e-12)
