"""Search without a light: targets at truncated Levy distances (seed 001)."""

import math

from controller.behavior.angles import TWO_PI, wrapped
from controller.behavior.compiling import rule
from controller.behavior.draws import between, uniform
from controller.behavior.trigonometry import arctangent, sine_cosine


@rule
def levy_step(u, mu, shortest_px, longest_px):
    """A step length of density l^-mu from a uniform `u`, by inversion, cut at the longest."""
    return min(shortest_px * math.pow(u + 0.001, -1.0 / (mu - 1.0)), longest_px)


@rule
def choose_target(bug, world, draws):
    """A new place to walk to: a Levy step in any direction."""
    step = levy_step(uniform(draws), bug.levy_mu, world.step_min_px, world.step_max_px)
    sine, cosine = sine_cosine(between(0.0, TWO_PI, draws))
    bug.target_x = bug.x + cosine * step
    bug.target_y = bug.y + sine * step
    bug.target_chosen = True


@rule
def wander_turn(bug, world, draws):
    """Turn towards the target, chosen anew on arrival (rad)."""
    to_x, to_y = bug.target_x - bug.x, bug.target_y - bug.y
    if not bug.target_chosen or to_x * to_x + to_y * to_y < world.arrived_px * world.arrived_px:
        choose_target(bug, world, draws)
        to_x, to_y = bug.target_x - bug.x, bug.target_y - bug.y
    return wrapped(arctangent(to_y, to_x) - bug.heading) * bug.turn_rate * world.search_gain
