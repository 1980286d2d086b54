"""The grid: every agent has its place, and no near one is missed, wherever they stand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.behavior.grids import Grid, Places, crowd, grid_over
from tests.behavior.pairs import fewer

REACH_PX = 20.0
SHAPES = ["scattered", "disc", "spot", "pairs", "row", "far", "line of sizes"]
# One cell, few, many, and a cell that is as wide as the reach exactly.
GRIDS = [
    ((1280, 720), 5000.0),
    ((1280, 720), 300.0),
    ((1280, 720), REACH_PX),
    ((1, 1), REACH_PX),
    ((20, 3000), 25.0),
]


def count() -> int:
    return fewer(300)


def assert_sorted(grid: Grid, places: Places) -> None:
    """The cells share all places out; each agent stands at its own, within its cell."""
    assert sorted(grid.places) == list(range(len(places)))
    assert grid.starts[0] == 0
    assert grid.starts[-1] == len(places)
    assert (np.diff(grid.starts) >= 0).all()
    for i, (x, y) in enumerate(places):
        assert np.array_equal((grid.xs[grid.places[i]], grid.ys[grid.places[i]]), (x, y), equal_nan=True)
        assert grid.starts[grid.cells[i]] <= grid.places[i] < grid.starts[grid.cells[i] + 1]


def near_in_grid(grid: Grid, i: int) -> list[int]:
    """The agents within reach of agent i that the cells around it hold."""
    agent_at = np.argsort(grid.places)
    near = [
        k
        for k in grid.within(i)
        if math.hypot(grid.xs[k] - grid.bugs["x"][i], grid.ys[k] - grid.bugs["y"][i]) < REACH_PX
    ]
    return sorted(int(agent_at[k]) for k in near)


def near_by_brute_force(places: Places, i: int) -> list[int]:
    x, y = places[i]
    return [j for j, (a, b) in enumerate(places) if math.hypot(a - x, b - y) < REACH_PX]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("size", "cell_px"), GRIDS)
def test_the_grid_finds_all_that_brute_force_finds(shape: str, size: tuple[int, int], cell_px: float) -> None:
    places = crowd(shape, count())
    grid = grid_over(places, size, cell_px)
    assert_sorted(grid, places)
    for i in range(len(places)):
        assert near_in_grid(grid, i) == near_by_brute_force(places, i)


@pytest.mark.parametrize("places", [[], [(5.0, 5.0)], [(-1e9, 1e9)]])
def test_a_grid_over_none_or_one(places: Places) -> None:
    assert_sorted(grid_over(places, (1280, 720), 25.0), places)


def test_bugs_that_are_no_numbers_or_endless_have_a_place_and_disturb_no_other() -> None:
    broken = [(math.nan, math.nan), (math.nan, 300.0), (math.inf, 10.0), (-math.inf, math.inf)]
    places = [*broken, *crowd("scattered", count()), *broken]
    grid = grid_over(places, (1280, 720), 25.0)
    assert_sorted(grid, places)
    for i in range(len(broken), len(places) - len(broken)):
        assert near_in_grid(grid, i) == near_by_brute_force(places, i)


def test_a_cell_that_is_smaller_than_the_reach_would_miss_some() -> None:
    """The comparison itself."""
    places = crowd("row", count())
    grid = grid_over(places, (1280, 720), REACH_PX / 4)
    assert any(near_in_grid(grid, i) != near_by_brute_force(places, i) for i in range(len(places)))
