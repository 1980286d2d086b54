"""Steering by the light: compass with a fixation angle, and two antennae (seed 001 by default)."""

from controller.behavior.angles import clamped, mapped, wrapped
from controller.behavior.compiling import rule
from controller.behavior.trigonometry import arctangent, sine_cosine


@rule
def compass_turn(bug, world, bearing, distance):
    """Turn towards the light seen `fixation_angle` off to one side, harder when near (rad)."""
    error = wrapped(bearing - bug.handedness * bug.fixation_angle - bug.heading)
    near, far = world.compass_near_px, world.compass_far_px
    strength = mapped(clamped(distance, near, far), near, far, world.compass_near, world.compass_far)
    return error * strength * bug.turn_rate * world.compass_gain


@rule
def antenna_turn(bug, world):
    """Tropotaxis: turn to the antenna that gets more light, F = 1500 g (E_right - E_left) (rad)."""
    forward_y, forward_x = sine_cosine(bug.heading)
    tip_x = bug.x + forward_x * bug.antenna_spread - world.light_x
    tip_y = bug.y + forward_y * bug.antenna_spread - world.light_y
    aside = bug.antenna_spread * world.antenna_side
    side_x, side_y = -forward_y * aside, forward_x * aside
    left = (tip_x - side_x) ** 2 + (tip_y - side_y) ** 2 + 1.0
    right = (tip_x + side_x) ** 2 + (tip_y + side_y) ** 2 + 1.0
    return (1.0 / right - 1.0 / left) * bug.tropotaxis_gain * world.antenna_gain


@rule
def phototaxis_turn(bug, world, distance):
    """Compass and antennae together; the antennae weigh 0.1 far away and 0.6 near (rad)."""
    bearing = arctangent(world.light_y - bug.y, world.light_x - bug.x)
    near, far = world.antenna_near_px, world.antenna_far_px
    within = clamped(distance, near, far)
    weight = mapped(within, near, far, world.antenna_weight_near, world.antenna_weight_far)
    compass = compass_turn(bug, world, bearing, distance)
    return compass * (1.0 - weight) + antenna_turn(bug, world) * weight
