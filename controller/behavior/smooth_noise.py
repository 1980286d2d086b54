"""One-dimensional smooth noise for the speed factor: cosine-blended random levels, four octaves."""

import math

import numpy as np

from controller.behavior.compiling import rule
from controller.behavior.draws import hashed_uniform
from controller.behavior.trigonometry import sine_cosine

PERIOD = 4096
OCTAVES = 4


@rule
def fill_levels(seed, levels):
    """The 4096 random levels in [0, 1) of one seed (unsigned 64-bit)."""
    for k in range(PERIOD):
        levels[k] = hashed_uniform(seed, k)


@rule
def smooth_noise(at, levels):
    """Noise in [0, 1) at `at` >= 0, of period 4096, octaves at double rate and half weight.

    Each octave's cosine follows from the one before, cos 2a = 2 cos^2 a - 1, turned round in the
    second half of a cell.
    """
    total, weight = 0.0, 0.5
    eighth = np.int64(at * (1 << (OCTAVES - 1)))
    _, cosine = sine_cosine((at - np.int64(at)) * math.pi)
    for octave in range(OCTAVES):
        cell = eighth >> (OCTAVES - 1 - octave)
        if octave > 0:
            cosine = 2.0 * cosine * cosine - 1.0
            cosine = -cosine if cell & 1 else cosine
        low = levels[cell & (PERIOD - 1)]
        high = levels[(cell + 1) & (PERIOD - 1)]
        total += weight * (low + (0.5 - 0.5 * cosine) * (high - low))
        weight *= 0.5
    return total


def levels_of(seed: int) -> np.ndarray:
    """The levels of one seed, as a new float64 array of shape (4096,)."""
    levels = np.empty(PERIOD)
    fill_levels(np.uint64(seed), levels)
    return levels
