"""One-dimensional smooth noise for the speed factor: cosine-blended random levels, four octaves."""

import math

import numba as nb
import numpy as np

from controller.behavior.draws import hashed_uniform

PERIOD = 4096
OCTAVES = 4


@nb.njit(cache=True)
def fill_levels(seed, levels):
    """The 4096 random levels in [0, 1) of one seed (unsigned 64-bit)."""
    for k in range(PERIOD):
        levels[k] = hashed_uniform(seed, k)


@nb.njit(cache=True)
def smooth_noise(at, levels):
    """Noise in [0, 1) at `at` >= 0, of period 4096, octaves at double rate and half weight.

    Each octave's cosine follows from the one before: cos 2a = 2 cos^2 a - 1.
    """
    total, weight = 0.0, 0.5
    cell = math.floor(at)
    part = at - cell
    cosine = math.cos(part * math.pi)
    for _ in range(OCTAVES):
        low = levels[cell & (PERIOD - 1)]
        high = levels[(cell + 1) & (PERIOD - 1)]
        total += weight * (low + 0.5 * (1.0 - cosine) * (high - low))
        weight *= 0.5
        cell *= 2
        part *= 2.0
        cosine = 2.0 * cosine * cosine - 1.0
        if part >= 1.0:
            part -= 1.0
            cosine = -cosine
            cell += 1
    return total


def levels_of(seed: int) -> np.ndarray:
    """The levels of one seed, as a new float64 array of shape (4096,)."""
    levels = np.empty(PERIOD)
    fill_levels(np.uint64(seed), levels)
    return levels
