"""Angles and linear maps that every steering rule uses."""

import math

import numpy as np

from controller.behavior.compiling import rule

TWO_PI = 2.0 * math.pi
DEGREE = math.pi / 180.0


@rule
def wrapped(angle):
    """The same direction within [-pi, pi]."""
    return angle - TWO_PI * np.floor(angle * (1.0 / TWO_PI) + 0.5)


@rule
def clamped(value, low, high):
    """`value` held within [low, high]."""
    return min(max(value, low), high)


@rule
def mapped(value, from_low, from_high, to_low, to_high):
    """`value` carried linearly from one range to another, not held within it."""
    return to_low + (to_high - to_low) * (value - from_low) / (from_high - from_low)
