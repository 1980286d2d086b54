"""Intermittent motion: run, stop, tumble and the changes between them (seed 001 by default)."""

import math

from controller.behavior.angles import DEGREE
from controller.behavior.compiling import rule
from controller.behavior.draws import between, uniform

RUN, STOP, TUMBLE = 0, 1, 2


@rule
def start_run(bug, world, draws):
    """30-150 ticks, doubled for 15 %, at 0.8-1.1 of the base speed."""
    duration = between(world.run_min_ticks, world.run_max_ticks, draws)
    if uniform(draws) < world.long_run_share:
        duration *= world.long_run_factor
    bug.gait = RUN
    bug.gait_timer = math.floor(duration)
    bug.speed = bug.base_speed * between(world.run_pace_min, world.run_pace_max, draws)


@rule
def start_stop(bug, world, draws):
    """5-25 ticks at rest."""
    bug.gait = STOP
    bug.gait_timer = math.floor(between(world.stop_min_ticks, world.stop_max_ticks, draws))
    bug.speed = 0.0


@rule
def start_tumble(bug, world, draws):
    """3-10 ticks at 0.15 of the base speed, turning by an amount of up to +-126 degrees."""
    reach = world.tumble_reach_deg * DEGREE
    bug.gait = TUMBLE
    bug.gait_timer = math.floor(between(world.tumble_min_ticks, world.tumble_max_ticks, draws))
    bug.tumble_amount = between(-reach, reach, draws)
    bug.speed = bug.base_speed * world.tumble_pace


@rule
def tumble_turn(bug, world):
    """An eighth of the amount in each tick (rad)."""
    return bug.tumble_amount / world.tumble_spread_ticks


@rule
def change_gait(bug, world, attracted, draws):
    """Count the gait's timer down and choose what follows; the attracted hardly ever stop."""
    bug.gait_timer -= 1
    if bug.gait_timer > 0:
        return
    if bug.gait == TUMBLE:
        start_run(bug, world, draws)
    elif bug.gait == STOP:
        if attracted or uniform(draws) >= world.stop_tumble_share:
            start_run(bug, world, draws)
        else:
            start_tumble(bug, world, draws)
    elif not attracted:
        if uniform(draws) < world.search_stop_share:
            start_stop(bug, world, draws)
        else:
            start_tumble(bug, world, draws)
    elif uniform(draws) < world.attracted_stop_share:
        start_stop(bug, world, draws)
        shorter = between(world.attracted_stop_min_ticks, world.attracted_stop_max_ticks, draws)
        bug.gait_timer = math.floor(shorter)
    else:
        start_run(bug, world, draws)
