"""The last part of a tick: turn, step, come back in at the opposite edge (seed 001)."""

import math

import numba as nb

from controller.behavior.angles import TWO_PI, clamped, mapped, wrapped
from controller.behavior.smooth_noise import PERIOD

TURN_LIMIT = 5.0
PULSE_RATE = 0.03
SLOWEST_FACTOR, FASTEST_FACTOR = 0.91, 0.98


@nb.njit(cache=True)
def move(bug, turn, noise):
    """Turn by at most 5 turn rates, then step along the new heading at 0.91-0.98 of the speed."""
    limit = bug.turn_rate * TURN_LIMIT
    bug.heading = wrapped(bug.heading + clamped(turn, -limit, limit))
    pace = bug.speed * mapped(noise, 0.0, 1.0, SLOWEST_FACTOR, FASTEST_FACTOR)
    bug.x += math.cos(bug.heading) * pace
    bug.y += math.sin(bug.heading) * pace


@nb.njit(cache=True)
def wrap_edge(position, size, margin):
    """A coordinate that left the screen by more than `margin` comes back at the other edge."""
    if position < -margin:
        return size + margin
    if position > size + margin:
        return -margin
    return position


@nb.njit(cache=True)
def grow_phases(bug):
    """Tremor, leg and noise phases after a tick, each within its own period."""
    bug.noise_phase = (bug.noise_phase + 0.3 * bug.tremor_frequency + PULSE_RATE) % PERIOD
    bug.tremor_phase = (bug.tremor_phase + bug.tremor_frequency) % TWO_PI
    bug.leg_phase = (bug.leg_phase + bug.speed * 0.15) % TWO_PI
