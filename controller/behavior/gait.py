"""Intermittent motion: run, stop, tumble and the changes between them (seed 001)."""

import math

import numba as nb

from controller.behavior.draws import between, uniform

RUN, STOP, TUMBLE = 0, 1, 2
TUMBLE_REACH_RAD = 0.7 * math.pi


@nb.njit(cache=True)
def start_run(bug, tape):
    """30-150 ticks, doubled for 15 %, at 0.8-1.1 of the base speed."""
    duration = between(30.0, 150.0, bug, tape)
    if uniform(bug, tape) < 0.15:
        duration *= 2.0
    bug.gait = RUN
    bug.gait_timer = math.floor(duration)
    bug.speed = bug.base_speed * between(0.8, 1.1, bug, tape)


@nb.njit(cache=True)
def start_stop(bug, tape):
    """5-25 ticks at rest."""
    bug.gait = STOP
    bug.gait_timer = math.floor(between(5.0, 25.0, bug, tape))
    bug.speed = 0.0


@nb.njit(cache=True)
def start_tumble(bug, tape):
    """3-10 ticks at 0.15 of the base speed, turning by up to +-126 degrees / 8 a tick."""
    bug.gait = TUMBLE
    bug.gait_timer = math.floor(between(3.0, 10.0, bug, tape))
    bug.tumble_amount = between(-TUMBLE_REACH_RAD, TUMBLE_REACH_RAD, bug, tape)
    bug.speed = bug.base_speed * 0.15


@nb.njit(cache=True)
def change_gait(bug, attracted, tape):
    """Count the gait's timer down and choose what follows; the attracted hardly ever stop."""
    bug.gait_timer -= 1
    if bug.gait_timer > 0:
        return
    if bug.gait == TUMBLE:
        start_run(bug, tape)
    elif bug.gait == STOP:
        if attracted or uniform(bug, tape) >= 0.7:
            start_run(bug, tape)
        else:
            start_tumble(bug, tape)
    elif not attracted:
        if uniform(bug, tape) < 0.6:
            start_stop(bug, tape)
        else:
            start_tumble(bug, tape)
    elif uniform(bug, tape) < 0.1:
        start_stop(bug, tape)
        bug.gait_timer = math.floor(between(3.0, 10.0, bug, tape))
    else:
        start_run(bug, tape)
