"""The figures of `bench swarm` and their goals, and the table of what was measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from typing import Any, NamedTuple

import numba
import numpy as np

from controller.studies.swarm_cost_c import compiler
from controller.studies.swarm_cost_laps import BUGS, SEED, SIZE_PX, Values

COLUMNS = ("figure", "measured", "goal", "is", "in detail")
OK, OVER, NONE = "ok", "over", "–"


class Figure(NamedTuple):
    """A row: its key and words, its unit and digits, the most that it should be (None: told only)."""

    key: str
    title: str
    unit: str
    digits: int
    most: float | None
    # Whether the bench finds a problem when it is more.
    must: bool = True

    def told(self, value: float) -> str:
        """The value in its unit."""
        return f"{value:.{self.digits}f}{self.unit}"

    def goal(self) -> str:
        """What it should be."""
        if self.most is None:
            return ""
        return f"{'≤' if self.must else 'aim'} {self.most:g}{self.unit}"

    def verdict(self, value: float | None) -> str:
        """Whether the goal is reached; what could not be measured is neither."""
        if value is None or self.most is None:
            return NONE if value is None else ""
        return OK if value <= self.most else OVER


FIGURES = (
    Figure("dark_ns", "dark: a bug's tick", " ns", 1, 90, must=False),
    Figure("dark_c", "dark: times the same in C", " x", 2, 1.15),
    Figure("gathered_ns", "gathered: a bug's tick", " ns", 1, 210, must=False),
    Figure("gathered_c", "gathered: times the same in C", " x", 2, 1.15),
    Figure("call_us", "a call, within each of these ticks", " us", 2, None),
    Figure("share_kernels", "gathered: tick, looks and interpolation, of 16.7 ms", " %", 2, 0.5),
    Figure("share_scene", "gathered: the scene's step and frame, of 16.7 ms", " %", 2, 0.5),
    Figure("crammed_dark", "dark: times a scattered tick, all in a disc of 40 px", " x", 2, 3),
    Figure("crammed_gathered", "gathered: times a usual tick, all in a disc of 40 px", " x", 2, 2),
    Figure("growth_dark", "dark: exponent of the growth in number", "", 2, 1.12),
    Figure("growth_gathered", "gathered: exponent of the growth in number", "", 2, 1.12),
    Figure("grid_dark", "dark: the grid is cheaper than every pair from", " bugs", 0, 120),
    Figure("grid_gathered", "gathered: the grid is cheaper than every pair from", " bugs", 0, 120),
    Figure("hour_s", "an hour of exhibition", " s", 1, 15),
    Figure("measures_dark", "dark: the visit's measures, of a tick", " %", 1, 2),
    Figure("measures_gathered", "gathered: the visit's measures, of a tick", " %", 1, 2),
    Figure("first_lit", "the first lit tick, times the median one", " x", 2, 2),
)


def rows(values: Values) -> Iterator[tuple[str, ...]]:
    """Each figure's cells in the order of COLUMNS."""
    for figure in FIGURES:
        value, note = values[figure.key]
        told = NONE if value is None else figure.told(value)
        yield figure.title, told, figure.goal(), figure.verdict(value), note


def is_over(values: Values) -> bool:
    """Whether any figure that must reach its goal does not."""
    return any(figure.must and figure.verdict(values[figure.key].value) == OVER for figure in FIGURES)


def markdown(values: Values) -> str:
    """The table as it stands in controller/README.md, with the conditions below."""
    lines = [COLUMNS, ("---",) * len(COLUMNS), *rows(values)]
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", conditions()])


def as_data(values: Values) -> dict[str, Any]:
    """All of it for `--json`."""
    figures = []
    for figure in FIGURES:
        value, note = values[figure.key]
        row = {"figure": figure.key, "title": figure.title, "measured": value, "unit": figure.unit.strip()}
        row |= {"most": figure.most, "must": figure.must, "is": figure.verdict(value), "in_detail": note}
        figures.append(row)
    return {"conditions": conditions(), "over": is_over(values), "figures": figures}


def conditions() -> str:
    """One line: what it was measured on and with."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parts = [f"{cores} cores", f"Python {platform.python_version()}"]
    parts += [f"numba {numba.__version__}", f"numpy {np.__version__}"]
    if told := compiler():
        parts.append(told)
    width, height = SIZE_PX
    return f"CPU time, {', '.join(parts)}; {BUGS} bugs on {width} x {height} px, seed {SEED}."
