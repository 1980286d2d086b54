"""Compass, antennae and their mixture against the article's formulas, also with the light on the bug."""

from __future__ import annotations

import math

import pytest

from controller.behavior.phototaxis import antenna_turn, compass_turn, phototaxis_turn
from tests.behavior.pairs import SIZE, Pair, cases


def bearing(pair: Pair) -> float:
    world = pair.plain_world
    return math.atan2(world.light_y - pair.twin.y, world.light_x - pair.twin.x)


def assert_all_alike(pair: Pair) -> None:
    ours = compass_turn(pair.bug, pair.world, bearing(pair), pair.distance)
    pair.assert_same(ours, pair.twin.compass(pair.plain_world))
    pair.assert_same(antenna_turn(pair.bug, pair.world), pair.twin.tropotaxis(pair.plain_world))
    ours = phototaxis_turn(pair.bug, pair.world, pair.distance)
    pair.assert_same(ours, pair.twin.phototaxis(pair.plain_world))


def test_phototaxis_at_random_is_the_articles() -> None:
    for number in cases(1000):
        assert_all_alike(Pair(number))


@pytest.mark.parametrize("heading", [0.0, math.pi, -math.pi, math.pi / 2, 1.0])
@pytest.mark.parametrize("away", [0.0, 1e-9, 9.99, 10.0, 10.01, 219.9, 599.9, 600.0, 800.0, 801.0, 5000.0])
@pytest.mark.parametrize("handedness", [-1, 1])
def test_at_the_bounds_of_each_distance(heading: float, away: float, handedness: int) -> None:
    place = {"x": 400.0, "y": 300.0, "light_x": 400.0 + away, "light_y": 300.0}
    assert_all_alike(Pair(0, heading=heading, handedness=handedness, **place))


def test_a_light_on_the_tip_of_one_antenna_turns_the_bug_to_that_side() -> None:
    """The antennae are at 10 px ahead and 5 px to each side; y points down, so right is +y."""
    for side in (-1, 1):
        place = {"x": 100.0, "y": 100.0, "light_x": 110.0, "light_y": 100.0 + 5.0 * side}
        pair = Pair(0, heading=0.0, antenna_spread=10.0, tropotaxis_gain=0.04, **place)
        expected = side * 1500 * 0.04 * (1 / 1 - 1 / (10.0**2 + 1))
        assert antenna_turn(pair.bug, pair.world) == pytest.approx(expected, abs=1e-9)
        assert_all_alike(pair)


@pytest.mark.parametrize("handedness", [-1, 1])
def test_the_compass_is_content_with_the_light_at_its_fixation_angle(handedness: int) -> None:
    """A right-handed bug keeps the light to its right, which is at a larger angle: y points down."""
    for number in cases(50):
        pair = Pair(number, handedness=handedness)
        content = bearing(pair) - handedness * pair.twin.fixation_angle
        pair.bug["heading"] = pair.twin.heading = math.remainder(content, 2 * math.pi)
        assert compass_turn(pair.bug, pair.world, bearing(pair), pair.distance) == pytest.approx(0, abs=1e-9)


def test_with_the_light_straight_behind_the_turn_is_as_large_to_either_side() -> None:
    place = {"x": SIZE[0] / 2, "y": SIZE[1] / 2, "light_x": 0.0, "light_y": SIZE[1] / 2}
    pair = Pair(0, heading=0.0, fixation_angle=0.0, **place)
    ours = compass_turn(pair.bug, pair.world, bearing(pair), pair.distance)
    assert abs(ours) == pytest.approx(abs(pair.twin.compass(pair.plain_world)), abs=1e-9)
    assert abs(ours) > 0.1
