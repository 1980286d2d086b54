"""Sine, cosine and arctangent against longer arithmetic: within 1e-15 over all that the rules ask."""

from __future__ import annotations

import math

import numpy as np
import pytest

from controller.behavior.trigonometry import arctangent, sine_cosine
from tests.behavior.pairs import fewer

ERROR = 1e-15
EIGHTHS = [k * math.pi / 4 for k in range(-400, 401)]
FAR = [1e5, -1e5, 99_999.5, 1e4, 12_345.678]
TINY = [0.0, -0.0, 1e-300, -1e-300, 5e-324, 1e-17, -1e-9]
# Coordinates in px differ by no less than this, or not at all.
SMALLEST_PX = 1e-280


def near(angles: list[float]) -> list[float]:
    """The angles and their neighbours among the floats."""
    return [math.nextafter(angle, way) for angle in angles for way in (-math.inf, angle, math.inf)]


def dense_angles() -> list[float]:
    rng = np.random.default_rng(1)
    spread = [rng.uniform(-limit, limit, fewer(30_000)) for limit in (1.6, 7.0, 20.0, 1e5)]
    return [*TINY, *near(EIGHTHS + FAR), *np.concatenate(spread).tolist()]


def test_sine_and_cosine_are_exact_to_1e_15_and_far_out_to_the_angles_own_last_digit() -> None:
    """All angles of the rules lie within one turn."""
    angles = dense_angles()
    found = np.array([sine_cosine(angle) for angle in angles])
    exact = np.array(angles, np.longdouble)
    allowed = ERROR * np.maximum(1.0, np.abs(exact) / 7.0)
    assert (np.abs(found[:, 0] - np.sin(exact)) <= allowed).all()
    assert (np.abs(found[:, 1] - np.cos(exact)) <= allowed).all()


def test_the_sine_of_a_tiny_angle_is_the_angle() -> None:
    for angle in TINY:
        assert sine_cosine(angle) == (angle, 1.0)


def points() -> list[tuple[float, float]]:
    """(y, x) on the axes and diagonals, at huge ratios, round circles of many sizes, at random."""
    rng = np.random.default_rng(2)
    lengths = [SMALLEST_PX, 1e-150, 1e-20, 1e-9, 1.0, 220.0, 4e3, 1e150]
    ends = [0.0, *lengths, *(-length for length in lengths)]
    cross = [(y, x) for y in ends for x in ends if (y, x) != (0.0, 0.0)]
    ways = np.linspace(-np.pi, np.pi, fewer(40_000))
    sizes = 10 ** rng.uniform(-12, 6, ways.size)
    circles = zip((np.sin(ways) * sizes).tolist(), (np.cos(ways) * sizes).tolist(), strict=True)
    square = rng.uniform(-4000, 4000, (fewer(20_000), 2)).tolist()
    eighth = math.tan(math.pi / 8)
    seam = [(math.nextafter(eighth * s, way), s) for s in (1.0, 37.0, 1e6) for way in (-1e9, 1e9)]
    return [*cross, *circles, *((y, x) for y, x in square), *seam, (0.0, -1.0), (1e-300, 1.0), (1.0, 1e-300)]


def test_arctangent_is_exact_to_1e_15() -> None:
    places = points()
    found = np.array([arctangent(y, x) for y, x in places])
    exact = np.array(places, np.longdouble)
    assert np.abs(found - np.arctan2(exact[:, 0], exact[:, 1])).max() <= ERROR


@pytest.mark.parametrize(("y", "x"), [(0.0, 0.0), (-0.0, 0.0), (0.0, -0.0), (-0.0, -0.0)])
def test_the_origin_lies_in_direction_0(y: float, x: float) -> None:
    assert arctangent(y, x) == 0.0


def test_on_the_axes_arctangent_is_exact_up_to_the_sign_of_half_a_turn() -> None:
    for length in (1e-300, 1.0, 1e300):
        assert arctangent(0.0, length) == 0.0
        assert arctangent(length, 0.0) == math.pi / 2
        assert arctangent(-length, 0.0) == -math.pi / 2
        assert abs(arctangent(0.0, -length)) == math.pi
        assert abs(arctangent(-0.0, -length)) == math.pi


@pytest.mark.parametrize("angle", [math.nan, math.inf, -math.inf])
def test_an_angle_that_is_no_number_gives_none(angle: float) -> None:
    """Else a broken bug would look sound, and stay."""
    with np.errstate(invalid="ignore"):
        assert all(math.isnan(part) for part in sine_cosine(angle))
