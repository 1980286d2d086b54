"""Motion shared by scenes, the simulated visitor and the switch: the crossing rule and easing."""

from __future__ import annotations


def crossing_time(t_s: float, dt_s: float, x: float, x_previous: float, goal: float) -> float:
    """When a value sampled at `t_s - dt_s` and `t_s` passed `goal`, by linear interpolation.

    t* = t - dt (x - goal) / (x - x_previous) (seed 000). A value that did not change returns `t_s`.
    """
    if x == x_previous:
        return t_s
    return t_s - dt_s * (x - goal) / (x - x_previous)


def eased_speed(from_start: float, to_goal: float, gain: float = 0.05) -> float:
    """Speed per tick of ease-in/ease-out: `gain` x the nearer of start and goal (seed 003)."""
    return gain * min(from_start, to_goal)
