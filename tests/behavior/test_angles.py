"""Directions brought within one turn, and p5's map and constrain."""

from __future__ import annotations

import math

import numpy as np
import pytest

from controller.behavior.angles import clamped, mapped, wrapped
from tests.behavior.naive_numbers import angle_to, constrain, p5_map
from tests.behavior.pairs import TOLERANCE, fewer

EDGES = [0.0, -0.0, math.pi, -math.pi, math.nextafter(math.pi, 0), math.nextafter(-math.pi, 0), 1e-300]
TURNS = [k * math.pi / 2 for k in range(-40, 41)]


def angles(count: int) -> list[float]:
    rng = np.random.default_rng(1)
    spread = [rng.uniform(-limit, limit, fewer(count)) for limit in (4.0, 13.0, 1e5)]
    return [*EDGES, *TURNS, *np.concatenate(spread).tolist()]


def test_a_wrapped_angle_is_the_same_direction_within_half_a_turn() -> None:
    for angle in angles(20_000):
        found = wrapped(angle)
        assert abs(math.remainder(found - angle_to(angle, 0.0), 2 * math.pi)) <= TOLERANCE, angle
        assert abs(found) <= math.pi + 1e-15 * max(1.0, abs(angle)), angle


def test_straight_behind_is_half_a_turn_to_either_side() -> None:
    """As in the article, where the side hangs on the rounding of sin(pi)."""
    for angle in (math.pi, -math.pi):
        assert abs(wrapped(angle)) == math.pi == abs(angle_to(angle, 0.0))


def test_clamping_holds_a_value_within_its_range_as_constrain_does() -> None:
    rng = np.random.default_rng(2)
    for value in [-1.0, 0.0, 0.5, 1.0, 2.0, 1e300, *rng.uniform(-3, 3, fewer(2000)).tolist()]:
        assert clamped(value, 0.0, 1.0) == constrain(value, 0.0, 1.0)
        assert clamped(value, 0.3, 0.3) == 0.3


@pytest.mark.parametrize("ends", [(10.0, 800.0, 1.5, 0.4), (0.0, 1.0, 80.0, 240.0), (5.0, -5.0, 0.0, 1.0)])
def test_mapping_carries_a_value_as_map_does_also_outside_its_range(
    ends: tuple[float, float, float, float],
) -> None:
    rng = np.random.default_rng(3)
    for value in [0.0, ends[0], ends[1], *rng.uniform(-2000, 2000, fewer(2000)).tolist()]:
        assert mapped(value, *ends) == pytest.approx(p5_map(value, *ends), abs=TOLERANCE, rel=1e-13)
