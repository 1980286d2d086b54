"""One tick of all bugs: the order of seed 001's rules."""

import math

import numba as nb
import numpy as np

from controller.behavior.angles import mapped
from controller.behavior.draws import between, stream_key
from controller.behavior.gait import RUN, TUMBLE, change_gait
from controller.behavior.habituation import notice_light_on, update_interest, update_reaction
from controller.behavior.milling import milling_turn
from controller.behavior.moving import grow_phases, move, wrap_edge
from controller.behavior.neighbours import fill_grid
from controller.behavior.phototaxis import phototaxis_turn
from controller.behavior.separation import separation_turn
from controller.behavior.smooth_noise import smooth_noise
from controller.behavior.wander import wander_turn


@nb.njit(cache=True)
def avoid_or_wander(bug, world, distance, reach, tape):
    """The bored: away from the light while it is noticed, else searching; 0.5-0.9 of base speed."""
    if distance < reach:
        turn = -phototaxis_turn(bug, world, distance) * 0.35 + between(-0.06, 0.06, bug, tape)
    else:
        turn = wander_turn(bug, tape)
    bug.speed = bug.base_speed * between(0.5, 0.9, bug, tape)
    return turn


@nb.njit(cache=True)
def running_turn(bug, world, distance, reach, tape):
    """The turn and speed of a running bug by its mode: milling, phototaxis, avoidance, search."""
    aware = world.on and bug.reacted
    interested = bug.interest > world.boredom_threshold
    if aware and interested and distance < world.light_radius:
        turn = milling_turn(bug, world, tape)
        bug.speed = bug.base_speed * between(0.3, 0.6, bug, tape)
        return turn
    if aware and interested and distance < reach:
        turn = phototaxis_turn(bug, world, distance)
        nearness = mapped(distance, world.light_radius, reach, 1.0, 0.7)
        bug.speed = bug.base_speed * bug.approach_multiple * nearness * between(0.9, 1.1, bug, tape)
        return turn
    if aware and not interested:
        return avoid_or_wander(bug, world, distance, reach, tape)
    return wander_turn(bug, tape)


@nb.njit(cache=True)
def chosen_turn(bug, world, cell, columns, rows, starts, xs, ys, tape):
    """Interest, reaction and gait first, then the turn of this tick (rad)."""
    dx, dy = world.light_x - bug.x, world.light_y - bug.y
    distance = math.sqrt(dx * dx + dy * dy)
    reach = world.light_radius * bug.detection_multiple
    update_interest(bug, world, distance)
    update_reaction(bug, world)
    interested = bug.interest > world.boredom_threshold
    change_gait(bug, world.on and bug.reacted and interested and distance < reach, tape)
    if bug.gait == TUMBLE:
        return bug.tumble_amount / 8.0
    if bug.gait != RUN:
        return 0.0
    turn = running_turn(bug, world, distance, reach, tape)
    turn += separation_turn(bug, cell, columns, rows, starts, xs, ys)
    return turn + between(-0.01, 0.01, bug, tape)


@nb.njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"}, nogil=True)
def step(
    bugs, world, just_on, seed, tick, edge, columns, rows, starts, cells, places, xs, ys, levels, tape, noises
):
    """Move all bugs by one tick, one after another: each sees those before it already moved.

    bugs: BUG records (n,). world: WORLD record (1,). edge: px of a grid cell, at least the
    largest personal space and one step. starts, cells, places, xs, ys: scratch of the grid.
    levels: noise levels. tape: (m, k) draws in [0, 1) given to the first m bugs instead of
    their own, noises: (m,) noise values in [0, 1] likewise; both empty in a show.
    """
    here = world[0]
    fill_grid(bugs, here.size_max, edge, columns, rows, starts, cells, places, xs, ys)
    for i in range(bugs.size):
        bug = bugs[i]
        bug.key = stream_key(seed, tick, np.uint64(i))
        bug.spent = 0
        if just_on:
            notice_light_on(bug, here)
        turn = chosen_turn(bug, here, cells[i], columns, rows, starts, xs, ys, tape)
        noise = noises[i] if i < noises.size else smooth_noise(bug.noise_phase, levels)
        move(bug, turn, noise)
        bug.x = wrap_edge(bug.x, here.width, bug.base_size)
        bug.y = wrap_edge(bug.y, here.height, bug.base_size)
        grow_phases(bug)
        xs[places[i]] = bug.x
        ys[places[i]] = bug.y
