"""Separation: turn away from agents nearer than 0.9 of one's own size (seed 001)."""

import math

import numba as nb

from controller.behavior.angles import wrapped

PERSONAL_SPACE = 0.9
TURN_GAIN = 0.08


@nb.njit(cache=True)
def separation_turn(bug, cell, columns, rows, starts, xs, ys):
    """Turn towards the mean of (x_i - x_j) / |x_i - x_j|^2 over near agents (rad).

    The cells are at least as wide as the largest personal space and one step together.
    Agents on the very same spot do not repel each other, as in the original.
    """
    reach = bug.base_size * PERSONAL_SPACE
    reach_squared = reach * reach
    row, column = cell // columns, cell % columns
    first, last = max(column - 1, 0), min(column + 1, columns - 1)
    push_x, push_y, near = 0.0, 0.0, 0
    for r in range(max(row - 1, 0), min(row + 1, rows - 1) + 1):
        for k in range(starts[r * columns + first], starts[r * columns + last + 1]):
            dx, dy = bug.x - xs[k], bug.y - ys[k]
            squared = dx * dx + dy * dy
            if 0.0 < squared < reach_squared:
                push_x += dx / squared
                push_y += dy / squared
                near += 1
    if near == 0:
        return 0.0
    return wrapped(math.atan2(push_y, push_x) - bug.heading) * TURN_GAIN
