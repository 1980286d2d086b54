"""Crowds for the grid: bugs at given places, the grid laid over them, and who is near whom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from controller.behavior.neighbours import fill_grid
from controller.scenes.baited.bugs import BUG, world_of
from controller.scenes.baited.settings import BaitedSettings
from tests.behavior.pairs import records

Places = Sequence[tuple[float, float]]


class Grid(NamedTuple):
    """The filled arrays, by the kernels' names."""

    bugs: npt.NDArray[Any]
    world: Any
    starts: npt.NDArray[np.int32]
    cells: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]
    xs: npt.NDArray[np.float64]
    ys: npt.NDArray[np.float64]

    def within(self, i: int) -> list[int]:
        """The places in `xs` and `ys` that the cell of bug i and the eight around it hold."""
        found: list[int] = []
        for row in (-1, 0, 1):
            first = int(self.cells[i]) + row * (int(self.world["columns"]) + 2) - 1
            found += range(self.starts[first], self.starts[first + 3])
        return found


def grid_over(places: Places, size: tuple[int, int], cell_px: float, margin_px: float = 24.0) -> Grid:
    """Bugs at `places` on a screen of `size` px, sorted into cells."""
    bugs, worlds = np.zeros(len(places), BUG), world_of(BaitedSettings(), size)
    bugs["x"], bugs["y"] = np.array(places, np.float64).reshape(-1, 2).T
    bugs["base_size"], bugs["turn_rate"] = 20.0, 0.05
    columns, rows = (max(1, math.ceil((side + 2 * margin_px) / cell_px)) for side in size)
    for name, value in (("columns", columns), ("rows", rows), ("cell_px", cell_px), ("margin_px", margin_px)):
        worlds[name] = value
    count = len(places)
    starts = np.full((columns + 2) * (rows + 2) + 2, -1, np.int32)
    cells, order = np.zeros(count, np.int32), np.zeros(count, np.int32)
    grid = Grid(records(bugs), records(worlds)[0], starts, cells, order, np.zeros(count), np.zeros(count))
    fill_grid(*grid)
    return grid


def crowd(name: str, count: int, seed: int = 1) -> Places:
    """Places px: `scattered` also beyond the margins, a `disc` of 40 px, one `spot`, `pairs`, a `row`."""
    rng = np.random.default_rng(seed)
    scattered = rng.uniform((-200, -200), (1500, 900), (count, 2))
    ways, shares = rng.uniform(-math.pi, math.pi, count), np.sqrt(rng.random(count))
    shapes = {
        "scattered": scattered,
        "disc": np.column_stack((640 + 20 * shares * np.cos(ways), 360 + 20 * shares * np.sin(ways))),
        "spot": np.full((count, 2), 321.5),
        "pairs": scattered[np.arange(count) // 2],
        "row": np.column_stack((np.arange(count) * 5.0, np.full(count, 300.0))),
        "far": scattered * 1e6,
        "line of sizes": np.column_stack((np.arange(count) * 17.9999999, np.full(count, 300.0))),
    }
    return [(float(x), float(y)) for x, y in shapes[name]]
