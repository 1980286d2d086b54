"""Search without a light: targets at truncated Levy distances (seed 001)."""

import math

import numba as nb

from controller.behavior.angles import TWO_PI, wrapped
from controller.behavior.draws import between, uniform

SHORTEST_PX, LONGEST_PX = 20.0, 500.0
ARRIVED_PX = 15.0


@nb.njit(cache=True)
def levy_step(u, mu):
    """A step length of density l^-mu from a uniform `u`, by inversion, cut at 500 px."""
    return min(SHORTEST_PX * math.pow(u + 0.001, -1.0 / (mu - 1.0)), LONGEST_PX)


@nb.njit(cache=True)
def choose_target(bug, tape):
    """A new place to walk to: a Levy step in any direction."""
    step = levy_step(uniform(bug, tape), bug.levy_mu)
    angle = between(0.0, TWO_PI, bug, tape)
    bug.target_x = bug.x + math.cos(angle) * step
    bug.target_y = bug.y + math.sin(angle) * step
    bug.target_chosen = True


@nb.njit(cache=True)
def wander_turn(bug, tape):
    """Turn towards the target, chosen anew on arrival (rad)."""
    to_x, to_y = bug.target_x - bug.x, bug.target_y - bug.y
    if not bug.target_chosen or math.sqrt(to_x * to_x + to_y * to_y) < ARRIVED_PX:
        choose_target(bug, tape)
        to_x, to_y = bug.target_x - bug.x, bug.target_y - bug.y
    return wrapped(math.atan2(to_y, to_x) - bug.heading) * bug.turn_rate * 2.0
