"""Separation: turn away from agents near, 0.9 of one's own size (seed 001 by default)."""

import numpy as np

from controller.behavior.angles import wrapped
from controller.behavior.compiling import rule
from controller.behavior.trigonometry import arctangent


@rule
def push(x, y, reach_squared, first, last, xs, ys):
    """Sum of (x_i - x_j) / |x_i - x_j|^2 over the agents `first`..`last` - 1 within reach, and how many.

    Without a branch, so that a crowd is gone through several at a time. Agents on the very same spot
    do not push each other, as in the original.
    """
    push_x, push_y, near = 0.0, 0.0, 0.0
    for k in range(first, last):
        dx, dy = x - xs[k], y - ys[k]
        squared = dx * dx + dy * dy
        close = (squared > 0.0) & (squared < reach_squared)
        share = (1.0 if close else 0.0) / (squared if close else 1.0)
        push_x += dx * share
        push_y += dy * share
        near += 1.0 if close else 0.0
    return push_x, push_y, near


@rule
def separation_turn(bug, world, cell, starts, xs, ys):
    """Turn towards the mean push of the near agents (rad).

    The cells are at least as wide as the largest personal space and one step together.
    """
    reach = bug.base_size * world.personal_space
    push_x, push_y, near = 0.0, 0.0, 0.0
    for row in range(-1, 2):
        middle = cell + row * (world.columns + 2)
        first, last = starts[np.uint64(middle - 1)], starts[np.uint64(middle + 2)]
        part_x, part_y, count = push(bug.x, bug.y, reach * reach, np.uint64(first), np.uint64(last), xs, ys)
        push_x += part_x
        push_y += part_y
        near += count
    if near == 0.0:
        return 0.0
    return wrapped(arctangent(push_y, push_x) - bug.heading) * world.separation_gain
