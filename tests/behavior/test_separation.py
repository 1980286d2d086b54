"""Separation out of the grid against the article's loop over all others, in crowds and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from controller.behavior.separation import separation_turn
from tests.behavior.grids import Places, crowd, grid_over
from tests.behavior.naive import World
from tests.behavior.pairs import TOLERANCE, bug_of, cases, fewer, values

SHAPES = ["scattered", "disc", "spot", "pairs", "row", "line of sizes"]
CELL_PX = 26.0


def turns(places: Places, headings: list[float] | None = None) -> list[tuple[float, float]]:
    """What kernel and article say for each bug; sizes of 14-24 px, headings all over unless given."""
    grid = grid_over(places, (1280, 720), CELL_PX)
    rng = np.random.default_rng(1)
    grid.bugs["base_size"] = rng.uniform(14, 24, len(places))
    grid.bugs["heading"] = headings or rng.uniform(-math.pi, math.pi, len(places))
    everyone = [bug_of(bug) for bug in grid.bugs]
    world = World(**values(grid.world))
    found = []
    for i, bug in enumerate(everyone):
        ours = separation_turn(grid.bugs[i], grid.world, grid.cells[i], grid.starts, grid.xs, grid.ys)
        found.append((float(ours), bug.separate(world, everyone)))
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_the_turn_is_the_articles_whatever_the_crowd(shape: str) -> None:
    """250 bugs, also all within 40 px or on one spot."""
    for seed in cases(20):
        for ours, theirs in turns(crowd(shape, fewer(250), seed)):
            assert ours == pytest.approx(theirs, abs=TOLERANCE)


def test_none_and_one() -> None:
    assert turns([]) == []
    assert turns([(100.0, 100.0)]) == [(0.0, 0.0)]


@pytest.mark.parametrize("gap_px", [1e-9, 1.0, 17.999, 18.0])
def test_two_turn_away_from_each_other_until_they_are_9_tenths_of_their_size_apart(gap_px: float) -> None:
    """Both of 20 px; each heads along the gap's normal, so that the free side is a quarter turn away."""
    grid = grid_over([(0.0, 100.0), (gap_px, 100.0)], (1280, 720), CELL_PX)
    grid.bugs["base_size"], grid.bugs["heading"] = 20.0, [math.pi / 2, -math.pi / 2]
    found = [
        separation_turn(grid.bugs[i], grid.world, grid.cells[i], grid.starts, grid.xs, grid.ys)
        for i in (0, 1)
    ]
    expected = math.pi / 2 * 0.08 if gap_px < 18.0 else 0.0
    assert found == pytest.approx([expected, expected], abs=1e-7)


def test_on_the_very_same_spot_no_bug_pushes_another() -> None:
    assert turns(crowd("spot", 20)) == [(0.0, 0.0)] * 20


RINGS = [
    [(5.0, 0.0), (-5.0, 0.0)],
    [(0.0, 7.0), (0.0, -7.0)],
    [(3.0, 4.0), (-3.0, -4.0)],
    [(5.0, 0.0), (-5.0, 0.0), (0.0, 3.0), (0.0, -3.0)],
]


@pytest.mark.parametrize("ring", RINGS)
def test_where_all_pushes_cancel_the_free_side_is_heading_0(ring: Places) -> None:
    """As in the article, where a vector of no length has that heading."""
    middle = (300.0, 300.0)
    places = [middle, *((middle[0] + x, middle[1] + y) for x, y in ring)]
    for heading in (0.0, 1.0, -2.0):
        ours, theirs = turns(places, [heading] * len(places))[0]
        assert ours == pytest.approx(theirs, abs=TOLERANCE)
        assert theirs == pytest.approx(-heading * 0.08)


def test_where_the_pushes_cancel_but_for_rounding_the_turn_is_some_turn_of_its_usual_size() -> None:
    """What is left hangs on the order of the sum, also in the article."""
    ring = [(1.1, 2.3), (-1.1, -2.3), (4.7, -3.3), (-4.7, 3.3)]
    places = [(300.0, 300.0), *((300.0 + x, 300.0 + y) for x, y in ring)]
    assert abs(turns(places, [1.0] * 5)[0][0]) <= math.pi * 0.08 + TOLERANCE
