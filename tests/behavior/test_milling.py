"""Milling: the pursued point, the change of mind and the choice of an orbit, against the article's."""

from __future__ import annotations

import math

import pytest

from controller.behavior.milling import choose_orbit, milling_turn
from tests.behavior.pairs import Pair, cases

LAST = 1.0 - 2.0**-53


def milled(pair: Pair) -> float:
    turn = milling_turn(pair.bug, pair.world, pair.draws)
    pair.assert_same(turn, pair.twin.milling(pair.plain_world, pair.random))
    return float(turn)


def test_milling_at_random_is_the_articles() -> None:
    for number in cases(1000):
        milled(Pair(number))


def test_milling_goes_on_as_the_articles_does() -> None:
    """Its own angle without bounds there, within a turn here."""
    pair = Pair(0)
    for key in cases(300):
        pair.give((), key)
        milled(pair)


@pytest.mark.parametrize(
    ("numbers", "chosen", "turned", "orbit_px", "used"),
    [
        ((0.0049, 0.5), 1, True, 50.0, 2),
        ((0.005, 0.5), 1, False, 50.0, 2),
        ((0.5, 0.0049, LAST, 0.0), 1, False, 110.0, 4),
        ((0.5, 0.005), 1, False, 50.0, 2),
        ((0.5, LAST, 0.0), 0, False, 110.0, 3),
        ((0.0, 0.0, 0.0, 0.0), 1, True, 187.0, 4),
        ((0.5, 0.0, 0.4995), 0, False, 33.0, 3),
    ],
)
def test_a_change_of_mind_and_the_choice_of_an_orbit(
    numbers: tuple[float, ...], chosen: int, turned: bool, orbit_px: float, used: int
) -> None:
    """Orbits of 33-187 px around 110; an orbit not yet chosen is chosen without asking chance."""
    pair = Pair(0, numbers, orbit_radius=50.0, orbit_chosen=chosen, milling_direction=1)
    milled(pair)
    assert (pair.bug["milling_direction"] == -1) == turned
    assert pair.bug["orbit_radius"] == pytest.approx(orbit_px, abs=0.5)
    assert pair.draws["spent"] == used
    assert pair.bug["orbit_chosen"]


def test_orbits_at_random_under_any_constants_are_the_articles() -> None:
    for number in cases(800):
        pair = Pair(number)
        choose_orbit(pair.bug, pair.world, pair.draws)
        pair.twin.choose_orbit(pair.plain_world, pair.random)
        pair.assert_same()


@pytest.mark.parametrize("angle", [math.pi, -math.pi, math.nextafter(math.pi, 0), 0.0])
@pytest.mark.parametrize("direction", [-1, 1])
def test_the_milling_angle_passes_half_a_turn(angle: float, direction: int) -> None:
    pair = Pair(0, (0.5, 0.5), orbit_chosen=1, milling_angle=angle, milling_direction=direction)
    milled(pair)
    assert abs(pair.bug["milling_angle"]) <= math.pi


def test_a_bug_on_the_very_point_that_it_pursues() -> None:
    """The way there has no direction: 0, as in the article."""
    spot = {"x": 300.0, "y": 200.0, "light_x": 300.0, "light_y": 200.0}
    orbit = {"orbit_chosen": 1, "orbit_radius": 0.0, "milling_radius": 0.0}
    pair = Pair(0, (0.5, 0.5), heading=0.5, turn_rate=0.04, **spot, **orbit)
    assert milled(pair) == pytest.approx(-0.5 * 0.04 * 2.5)
