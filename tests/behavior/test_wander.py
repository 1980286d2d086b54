"""Search: Levy steps, the choice of a target and the turn to it, against the article's."""

from __future__ import annotations

import math

import numpy as np
import pytest

from controller.behavior.wander import choose_target, levy_step, wander_turn
from tests.behavior import naive
from tests.behavior.pairs import TOLERANCE, Pair, cases, fewer

LAST = 1.0 - 2.0**-53


def wandered(pair: Pair) -> float:
    turn = wander_turn(pair.bug, pair.world, pair.draws)
    pair.assert_same(turn, pair.twin.levy_wander(pair.plain_world, pair.random))
    return float(turn)


def test_search_at_random_is_the_articles() -> None:
    for number in cases(1000):
        wandered(Pair(number))


@pytest.mark.parametrize(("u", "step_px"), [(0.8, 24.97), (0.5, 39.92), (0.1, 198.02), (0.0, 500.0)])
def test_levy_steps_of_mu_2_are_those_that_the_article_names(u: float, step_px: float) -> None:
    assert levy_step(u, 2.0, 20.0, 500.0) == pytest.approx(step_px, abs=0.01)


def test_levy_steps_of_any_mu_are_the_articles() -> None:
    rng = np.random.default_rng(1)
    numbers = [0.0, LAST, *rng.random(fewer(2000)).tolist()]
    for u in numbers:
        mu = float(rng.uniform(1.1, 6.0))
        expected = naive.levy_step(u, 20.0, 500.0, mu)
        assert levy_step(u, mu, 20.0, 500.0) == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("u", [0.0, 0.25, 0.5, 0.75, LAST])
def test_a_new_target_lies_a_step_away_in_any_direction(u: float) -> None:
    for number in cases(100):
        pair = Pair(number, (u, u), target_chosen=0)
        choose_target(pair.bug, pair.world, pair.draws)
        pair.twin.levy_wander(pair.plain_world, pair.random)
        pair.assert_same()


@pytest.mark.parametrize(
    ("chosen", "way", "drawn"),
    [(1, (9.0, 11.9), 2), (1, (9.0, 12.0), 0), (1, (15.0, 0.0), 0), (1, (0.0, 0.0), 2), (0, (300.0, 0.0), 2)],
)
def test_a_bug_has_arrived_nearer_than_15_px_and_chooses_anew(
    chosen: int, way: tuple[float, float], drawn: int
) -> None:
    x, y = 400.0, 300.0
    target = {"target_x": x + way[0], "target_y": y + way[1], "target_chosen": chosen}
    pair = Pair(0, x=x, y=y, **target)
    wandered(pair)
    assert pair.draws["spent"] == drawn


@pytest.mark.parametrize("heading", [math.pi, -math.pi, 0.0])
def test_with_the_target_straight_behind_the_turn_is_as_large_to_either_side(heading: float) -> None:
    x = 400.0 - math.cos(heading) * 100.0
    pair = Pair(0, heading=heading, x=400.0, y=300.0, target_x=x, target_y=300.0, target_chosen=1)
    ours = wander_turn(pair.bug, pair.world, pair.draws)
    assert abs(ours) == pytest.approx(abs(pair.twin.levy_wander(pair.plain_world, pair.random)), abs=1e-9)
    assert abs(ours) == pytest.approx(2.0 * math.pi * float(pair.bug["turn_rate"]))
