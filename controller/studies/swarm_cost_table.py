"""The figures of `bench swarm` and their goals, and the conditions they were measured under."""

from __future__ import annotations

import numba
import numpy as np

from controller.studies.bench_table import Figure, Measured, Values, machine
from controller.studies.swarm_cost_c import compiler
from controller.studies.swarm_cost_laps import BUGS, SEED, SIZE_PX

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


def told(values: Values) -> Measured:
    """What was measured, with its goals."""
    return Measured(FIGURES, values, conditions())


def conditions() -> str:
    """One line: what it was measured on and with."""
    parts = [*machine(), f"numba {numba.__version__}", f"numpy {np.__version__}"]
    if told := compiler():
        parts.append(told)
    width, height = SIZE_PX
    return f"CPU time, {', '.join(parts)}; {BUGS} bugs on {width} x {height} px, seed {SEED}."
