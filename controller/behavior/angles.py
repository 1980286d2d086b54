"""Angles and linear maps that every steering rule uses."""

import math

import numba as nb
import numpy as np

TWO_PI = 2.0 * math.pi


@nb.njit(cache=True)
def wrapped(angle):
    """The same direction within [-pi, pi)."""
    return angle - TWO_PI * np.floor(angle / TWO_PI + 0.5)


@nb.njit(cache=True)
def clamped(value, low, high):
    """`value` held within [low, high]."""
    return min(max(value, low), high)


@nb.njit(cache=True)
def mapped(value, from_low, from_high, to_low, to_high):
    """`value` carried linearly from one range to another, not held within it."""
    return to_low + (to_high - to_low) * (value - from_low) / (from_high - from_low)
