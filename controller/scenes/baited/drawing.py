"""How a bug's state looks: opacity, size pulse, tremor and leg wobble, jitter, interpolation."""

import math

import numpy as np

from controller.behavior.angles import TWO_PI, wrapped
from controller.behavior.compiling import rule
from controller.behavior.draws import agent_key, hashed_uniform, tick_key
from controller.behavior.gait import STOP, TUMBLE
from controller.behavior.trigonometry import sine_cosine

X, Y, ANGLE, SIZE, ALPHA, JITTER = range(6)
POSE_FIELDS = 6
# Looks never touch the numbers that decide behaviour.
_LOOKS = np.uint64(0x100C5)


@rule
def jitter(gait, world, key):
    """Twitch of a stopped bug (by default in 15 % of ticks, +-0.25 rad), shake of a tumbling one (+-0.12)."""
    u = hashed_uniform(key, 1) * 2.0 - 1.0
    if gait == TUMBLE:
        return world.shake_rad * u
    if gait == STOP and hashed_uniform(key, 0) < world.twitch_share:
        return world.twitch_rad * u
    return 0.0


@rule
def pose(bugs, worlds, seed, tick, poses):
    """Write how the bugs look in this tick: poses float64 (n, 6)."""
    world = worlds[0]
    pulse_sine, pulse_cosine = sine_cosine(world.pulse_phase)
    pale, paling = world.bored_alpha / 255.0, (world.keen_alpha - world.bored_alpha) / 255.0
    key = tick_key(seed ^ _LOOKS, tick)
    for i in range(bugs.size):
        bug = bugs[i]
        tremor_sine, tremor_cosine = sine_cosine(bug.tremor_phase)
        leg_sine, _ = sine_cosine(bug.leg_phase)
        wobble = tremor_sine * world.tremor_swing_rad + leg_sine * world.leg_swing_rad * bug.speed
        poses[i, X] = bug.x
        poses[i, Y] = bug.y
        poses[i, ANGLE] = bug.heading + math.pi / 2.0 + wobble
        pulse = pulse_sine * tremor_cosine + pulse_cosine * tremor_sine
        poses[i, SIZE] = max(bug.base_size + world.pulse_px * pulse, 0.0)
        poses[i, ALPHA] = pale + paling * bug.interest
        poses[i, JITTER] = jitter(bug.gait, world, agent_key(key, np.uint64(bug.number)))


@rule
def interpolate(before, after, alpha, far_x, far_y, rows):
    """Write float32 rows (n, 5) between two ticks: shortest arc, no way across a wrap.

    What moved more than `far_x` or `far_y` px came round the edge.
    """
    for i in range(after.shape[0]):
        part = alpha
        dx, dy = after[i, X] - before[i, X], after[i, Y] - before[i, Y]
        if abs(dx) > far_x or abs(dy) > far_y:
            part = 1.0
        rows[i, X] = after[i, X] - dx * (1.0 - part)
        rows[i, Y] = after[i, Y] - dy * (1.0 - part)
        turn = wrapped(after[i, ANGLE] - before[i, ANGLE])
        rows[i, ANGLE] = wrapped(after[i, ANGLE] - turn * (1.0 - part) + after[i, JITTER])
        rows[i, SIZE] = after[i, SIZE] - (after[i, SIZE] - before[i, SIZE]) * (1.0 - part)
        rows[i, ALPHA] = after[i, ALPHA] - (after[i, ALPHA] - before[i, ALPHA]) * (1.0 - part)


@rule
def scatter_dust(seed, tick, x, y, reach, dust):
    """Dust anew for one tick: float32 (m, 4), uniform over the disc of radius `reach` (px).

    Diameters 1.5-4 px; alpha falls from 12/255 at the centre to 2/255 at the rim.
    """
    all_keys = tick_key(seed ^ _LOOKS, ~tick)
    for i in range(dust.shape[0]):
        key = agent_key(all_keys, np.uint64(i))
        angle = hashed_uniform(key, 0) * TWO_PI
        share = math.sqrt(hashed_uniform(key, 1))
        dust[i, 0] = x + math.cos(angle) * share * reach
        dust[i, 1] = y + math.sin(angle) * share * reach
        dust[i, 2] = 1.5 + 2.5 * hashed_uniform(key, 2)
        dust[i, 3] = (12.0 - 10.0 * share) / 255.0
