"""Steering by the light: compass with a fixation angle, and two antennae (seed 001)."""

import math

import numba as nb

from controller.behavior.angles import clamped, mapped, wrapped

ANTENNA_GAIN = 1500.0


@nb.njit(cache=True)
def compass_turn(bug, bearing, distance):
    """Turn towards the light seen `fixation_angle` off to one side, harder when near (rad)."""
    error = wrapped(bearing - bug.handedness * bug.fixation_angle - bug.heading)
    strength = mapped(clamped(distance, 10.0, 800.0), 10.0, 800.0, 1.5, 0.4)
    return error * strength * bug.turn_rate * 4.0


@nb.njit(cache=True)
def antenna_turn(bug, world):
    """Tropotaxis: turn to the antenna that gets more light, F = 1500 g (E_right - E_left) (rad)."""
    forward_x, forward_y = math.cos(bug.heading), math.sin(bug.heading)
    tip_x = bug.x + forward_x * bug.antenna_spread - world.light_x
    tip_y = bug.y + forward_y * bug.antenna_spread - world.light_y
    side_x = -forward_y * bug.antenna_spread * 0.5
    side_y = forward_x * bug.antenna_spread * 0.5
    left = 1.0 / ((tip_x - side_x) ** 2 + (tip_y - side_y) ** 2 + 1.0)
    right = 1.0 / ((tip_x + side_x) ** 2 + (tip_y + side_y) ** 2 + 1.0)
    return (right - left) * bug.tropotaxis_gain * ANTENNA_GAIN


@nb.njit(cache=True)
def phototaxis_turn(bug, world, distance):
    """Compass and antennae together; the antennae weigh 0.1 far away and 0.6 near (rad)."""
    bearing = math.atan2(world.light_y - bug.y, world.light_x - bug.x)
    weight = clamped(mapped(distance, 10.0, 600.0, 0.6, 0.1), 0.1, 0.6)
    return compass_turn(bug, bearing, distance) * (1.0 - weight) + antenna_turn(bug, world) * weight
