"""Interest and reaction delay: the article's lines, at their edges and at random."""

from __future__ import annotations

import math

import pytest

from controller.behavior.habituation import notice_light_on, update_interest, update_reaction
from tests.behavior.pairs import Pair, cases


def test_interest_falls_inside_the_lit_circle_and_rises_in_the_dark_as_in_the_article() -> None:
    for number in cases(1000):
        pair = Pair(number)
        update_interest(pair.bug, pair.world, pair.distance)
        pair.twin.update_interest(pair.plain_world, pair.distance)
        pair.assert_same()


@pytest.mark.parametrize(
    ("on", "away", "before", "after"),
    [
        (1, 0.0, 0.5, 0.499),
        (1, math.nextafter(220.0, 0), 0.5, 0.499),
        (1, 220.0, 0.5, 0.5),
        (1, 1000.0, 0.5, 0.5),
        (0, 0.0, 0.5, 0.506),
        (0, 1000.0, 0.5, 0.506),
        (1, 0.0, 0.0005, 0.0),
        (1, 0.0, 0.0, 0.0),
        (0, 0.0, 0.996, 1.0),
        (0, 0.0, 1.0, 1.0),
    ],
)
def test_interest_at_the_edges(on: int, away: float, before: float, after: float) -> None:
    pair = Pair(0, on=on, interest=before, decay_rate=0.001)
    update_interest(pair.bug, pair.world, away)
    assert pair.bug["interest"] == pytest.approx(after, abs=1e-15)


def test_a_light_that_comes_on_gives_interest_and_starts_the_delay_anew() -> None:
    for number in cases(1000):
        pair = Pair(number)
        notice_light_on(pair.bug, pair.world)
        pair.twin.on_light_on(pair.plain_world)
        pair.assert_same()
        assert not pair.bug["reacted"]
        assert pair.bug["reaction_timer"] == pair.bug["reaction_delay"]


def test_the_reaction_delay_runs_down_while_lit_and_is_forgotten_in_the_dark() -> None:
    for number in cases(1000):
        pair = Pair(number)
        update_reaction(pair.bug, pair.world)
        pair.twin.update_reaction(pair.plain_world)
        pair.assert_same()


@pytest.mark.parametrize(("delay", "tick"), [(0, 1), (1, 1), (2, 2), (299, 299)])
def test_a_bug_reacts_in_the_tick_in_which_its_delay_is_over(delay: int, tick: int) -> None:
    pair = Pair(0, on=1, reaction_delay=delay)
    notice_light_on(pair.bug, pair.world)
    ticks = 0
    while not pair.bug["reacted"]:
        update_reaction(pair.bug, pair.world)
        ticks += 1
    assert ticks == tick
