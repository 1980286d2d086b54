"""Milling: pursuit of a point that circles the light on a Gaussian orbit radius (seed 001 by default)."""

import math

from controller.behavior.angles import TWO_PI, clamped, wrapped
from controller.behavior.compiling import rule
from controller.behavior.draws import between, uniform
from controller.behavior.trigonometry import arctangent, sine_cosine


@rule
def choose_orbit(bug, world, draws):
    """Box-Muller: 0.5 +- 0.12 of the light radius, held in 0.15..0.85 of it (px)."""
    u1 = between(0.001, 1.0, draws)
    u2 = between(0.001, 1.0, draws)
    z = math.sqrt(-2.0 * math.log(u1)) * math.cos(TWO_PI * u2)
    share = clamped(world.orbit_mean + z * world.orbit_deviation, world.orbit_min, world.orbit_max)
    bug.orbit_radius = share * world.light_radius_px
    bug.orbit_chosen = True


@rule
def milling_turn(bug, world, draws):
    """Move the pursued point on and turn towards it (rad)."""
    angle = wrapped(bug.milling_angle + bug.milling_direction * bug.milling_speed)
    bug.milling_angle = angle
    if uniform(draws) < world.change_of_mind:
        bug.milling_direction = -bug.milling_direction
    if not bug.orbit_chosen or uniform(draws) < world.change_of_mind:
        choose_orbit(bug, world, draws)
    radius = bug.milling_radius + (bug.orbit_radius - bug.milling_radius) * world.orbit_ease
    bug.milling_radius = radius
    sine, cosine = sine_cosine(angle)
    to_x = world.light_x + cosine * radius - bug.x
    to_y = world.light_y + sine * radius - bug.y
    return wrapped(arctangent(to_y, to_x) - bug.heading) * bug.turn_rate * world.milling_gain
