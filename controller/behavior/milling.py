"""Milling: pursuit of a point that circles the light on a Gaussian orbit radius (seed 001)."""

import math

import numba as nb

from controller.behavior.angles import TWO_PI, clamped, wrapped
from controller.behavior.draws import between, uniform

CHANGE_OF_MIND = 0.005


@nb.njit(cache=True)
def choose_orbit(bug, world, tape):
    """Box-Muller: 0.5 +- 0.12 of the light radius, held in 0.15..0.85 of it (px)."""
    u1 = between(0.001, 1.0, bug, tape)
    u2 = between(0.001, 1.0, bug, tape)
    z = math.sqrt(-2.0 * math.log(u1)) * math.cos(TWO_PI * u2)
    radius = world.light_radius
    bug.orbit_radius = clamped((0.5 + z * 0.12) * radius, radius * 0.15, radius * 0.85)
    bug.orbit_chosen = True


@nb.njit(cache=True)
def milling_turn(bug, world, tape):
    """Move the pursued point on and turn towards it (rad)."""
    bug.milling_angle = wrapped(bug.milling_angle + bug.milling_direction * bug.milling_speed)
    if uniform(bug, tape) < CHANGE_OF_MIND:
        bug.milling_direction = -bug.milling_direction
    if not bug.orbit_chosen or uniform(bug, tape) < CHANGE_OF_MIND:
        choose_orbit(bug, world, tape)
    bug.milling_radius += (bug.orbit_radius - bug.milling_radius) * 0.02
    to_x = world.light_x + math.cos(bug.milling_angle) * bug.milling_radius - bug.x
    to_y = world.light_y + math.sin(bug.milling_angle) * bug.milling_radius - bug.y
    return wrapped(math.atan2(to_y, to_x) - bug.heading) * bug.turn_rate * 2.5
