"""One tick of all bugs: the order of seed 001's rules, with its numbers by default."""

import math

import numpy as np

from controller.behavior.angles import TWO_PI, mapped
from controller.behavior.compiling import rule
from controller.behavior.draws import MOST_GIVEN, agent_key, between, tick_key
from controller.behavior.gait import RUN, TUMBLE, change_gait, tumble_turn
from controller.behavior.habituation import notice_light_on, update_interest, update_reaction
from controller.behavior.milling import milling_turn
from controller.behavior.moving import grow_phases, grown, move
from controller.behavior.neighbours import fill_grid
from controller.behavior.phototaxis import phototaxis_turn
from controller.behavior.separation import separation_turn
from controller.behavior.smooth_noise import smooth_noise
from controller.behavior.wander import wander_turn
from controller.scenes.baited.bugs import astray, put_in
from controller.scenes.baited.visit import close_tick, note_in_visit


@rule
def avoid_or_wander(bug, world, distance, reach, draws):
    """The bored: away from the light while it is noticed, else searching; at 0.5-0.9 of base speed."""
    if distance < reach:
        noise = world.avoid_noise_rad
        turn = -phototaxis_turn(bug, world, distance) * world.avoid_gain + between(-noise, noise, draws)
    else:
        turn = wander_turn(bug, world, draws)
    bug.speed = bug.base_speed * between(world.avoid_pace_min, world.avoid_pace_max, draws)
    return turn


@rule
def approach(bug, world, distance, reach, draws):
    """Phototaxis; the pace falls from the circle to the rim of detection, there to `edge_pace` of it."""
    turn = phototaxis_turn(bug, world, distance)
    nearness = mapped(distance, world.light_radius_px, reach, 1.0, world.edge_pace)
    pace = bug.approach_multiple * nearness * between(world.approach_pace_min, world.approach_pace_max, draws)
    bug.speed = bug.base_speed * pace
    return turn


@rule
def mill(bug, world, draws):
    """Round the light at 0.3-0.6 of base speed."""
    turn = milling_turn(bug, world, draws)
    bug.speed = bug.base_speed * between(world.milling_pace_min, world.milling_pace_max, draws)
    return turn


@rule
def running_turn(bug, world, distance, reach, draws):
    """The turn and speed of a running bug by its mode: milling, phototaxis, avoidance, search."""
    if not (world.on and bug.reacted):
        return wander_turn(bug, world, draws)
    if bug.interest <= world.boredom_threshold:
        return avoid_or_wander(bug, world, distance, reach, draws)
    if distance < world.light_radius_px:
        return mill(bug, world, draws)
    if distance < reach:
        return approach(bug, world, distance, reach, draws)
    return wander_turn(bug, world, draws)


@rule
def chosen_turn(bug, world, distance, cell, starts, xs, ys, draws):
    """Reaction and gait first, then the turn of this tick (rad)."""
    reach = world.light_radius_px * bug.detection_multiple
    update_reaction(bug, world)
    interested = bug.interest > world.boredom_threshold
    change_gait(bug, world, world.on and bug.reacted and interested and distance < reach, draws)
    if bug.gait == TUMBLE:
        return tumble_turn(bug, world)
    if bug.gait != RUN:
        return 0.0
    turn = running_turn(bug, world, distance, reach, draws)
    turn += separation_turn(bug, world, cell, starts, xs, ys)
    noise = world.steering_noise_rad
    return turn + between(-noise, noise, draws)


@rule
def step(bugs, worlds, visits, given, just_on, seed, tick, starts, cells, places, xs, ys, levels):
    """Move all bugs by one tick, one after another: each sees those before it already moved.

    One that has just come round the edge is seen at its new place from the next tick on.

    bugs: BUG records (n,). worlds, visits, given: one record each of WORLD, VISIT and DRAWS; numbers
    given by hand serve the first bug, once. starts, cells, places, xs, ys: scratch of the grid.
    levels: noise levels. seed, tick: unsigned 64-bit.
    """
    world, visit, draws = worlds[0], visits[0], given[0]
    fill_grid(bugs, world, starts, cells, places, xs, ys)
    key = tick_key(seed, tick)
    draws.given = min(draws.given, MOST_GIVEN)
    for i in range(bugs.size):
        bug = bugs[i]
        draws.key = agent_key(key, np.uint64(bug.number))
        draws.spent = 0
        if just_on:
            notice_light_on(bug, world)
        dx, dy = world.light_x - bug.x, world.light_y - bug.y
        distance = math.sqrt(dx * dx + dy * dy)
        interest_before = bug.interest
        update_interest(bug, world, distance)
        turn = chosen_turn(bug, world, distance, cells[i], starts, xs, ys, draws)
        noise = draws.noise
        if not noise >= 0.0:
            noise = smooth_noise(bug.noise_phase, levels)
        move(bug, world, turn, noise)
        grow_phases(bug, world)
        if astray(bug):
            put_in(bug, world, draws, seed)
            visit.put_back += 1
        note_in_visit(bug, world, visit, distance, interest_before)
        xs[places[i]] = bug.x
        ys[places[i]] = bug.y
        if i == 0:
            draws.given, draws.used, draws.noise = 0, draws.spent, math.nan
    world.pulse_phase = grown(world.pulse_phase, world.pulse_rate, TWO_PI)
    close_tick(bugs, world, visit)
