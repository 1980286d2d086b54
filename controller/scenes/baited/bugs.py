"""The bugs' state as one record each, the world they see, and how both are made."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numba as nb
import numpy as np
import numpy.typing as npt

from controller.behavior.angles import TWO_PI
from controller.behavior.draws import between, stream_key, uniform
from controller.behavior.gait import start_run
from controller.scenes.baited.settings import BaitedSettings

_REALS = (
    "x y heading speed interest target_x target_y milling_angle milling_radius orbit_radius tumble_amount "
    "base_speed base_size turn_rate fixation_angle antenna_spread tropotaxis_gain detection_multiple "
    "approach_multiple decay_rate levy_mu milling_speed tremor_frequency tremor_phase leg_phase noise_phase"
)
_WHOLES = "handedness milling_direction reaction_delay reaction_timer gait gait_timer spent index"
_FLAGS = "reacted target_chosen orbit_chosen"


def _fields(names: str, kind: str) -> Iterable[tuple[str, str]]:
    return ((name, kind) for name in names.split())


# Lengths px, angles and phases rad, rates per tick; `key` and `spent` place the bug's random numbers.
# Flags are whole words: padding would be copied or not as numpy likes, and snapshots would differ.
BUG = np.dtype([*_fields(_REALS, "f8"), *_fields(_WHOLES, "i8"), ("key", "u8"), *_fields(_FLAGS, "i8")])
WORLD = np.dtype(
    [
        *_fields("light_x light_y light_radius width height", "f8"),
        *_fields("boredom_threshold recovery_rate onset_gain decay_min decay_max", "f8"),
        *_fields("size_min size_max reaction_delay_max", "f8"),
        ("on", "i8"),
    ]
)
# Creation has its own stream, so that no tick shares its numbers.
_HATCHING = np.uint64(0xBA17ED)


@nb.njit(cache=True)
def hatch(bugs, first, world, seed, tape):
    """Make the bugs from number `first` on anew from the seed, with seed 001's distributions."""
    for i in range(first, bugs.size):
        bug = bugs[i]
        bug.index, bug.spent = i, 0
        bug.key = stream_key(seed ^ _HATCHING, np.uint64(0), np.uint64(i))
        _draw_character(bug, world, tape)
        _draw_start(bug, world, tape)


@nb.njit(cache=True)
def _draw_character(bug, world, tape):
    bug.base_speed = between(1.8, 4.5, bug, tape)
    bug.turn_rate = between(0.03, 0.08, bug, tape)
    bug.fixation_angle = between(10.0, 40.0, bug, tape) * (math.pi / 180.0)
    bug.handedness = 1 if uniform(bug, tape) > 0.5 else -1
    bug.antenna_spread = between(6.0, 14.0, bug, tape)
    bug.tropotaxis_gain = between(0.02, 0.06, bug, tape)
    bug.detection_multiple = between(1.5, 4.0, bug, tape)
    bug.reaction_delay = math.floor(between(0.0, world.reaction_delay_max, bug, tape))
    bug.decay_rate = between(world.decay_min, world.decay_max, bug, tape)
    bug.levy_mu = between(1.8, 2.2, bug, tape)
    bug.milling_speed = between(0.008, 0.03, bug, tape)
    bug.base_size = between(world.size_min, world.size_max, bug, tape)
    bug.tremor_frequency = between(0.06, 0.15, bug, tape)
    if uniform(bug, tape) < 0.15:
        bug.approach_multiple = between(1.2, 1.5, bug, tape)
    elif uniform(bug, tape) > 0.85:
        bug.approach_multiple = between(0.5, 0.7, bug, tape)
    else:
        bug.approach_multiple = between(0.8, 1.1, bug, tape)


@nb.njit(cache=True)
def _draw_start(bug, world, tape):
    bug.x = between(0.0, world.width, bug, tape)
    bug.y = between(0.0, world.height, bug, tape)
    bug.heading = between(-math.pi, math.pi, bug, tape)
    bug.tremor_phase = between(0.0, TWO_PI, bug, tape)
    bug.leg_phase = between(0.0, TWO_PI, bug, tape)
    bug.milling_angle = between(-math.pi, math.pi, bug, tape)
    bug.noise_phase = 0.3 * bug.tremor_phase + 0.03
    bug.interest = 1.0
    bug.milling_direction = bug.handedness
    bug.milling_radius = bug.orbit_radius = bug.tumble_amount = 0.0
    bug.target_x = bug.target_y = 0.0
    bug.reacted = bug.target_chosen = bug.orbit_chosen = False
    bug.reaction_timer = 0
    start_run(bug, tape)


def world_of(settings: BaitedSettings, size: tuple[int, int]) -> npt.NDArray[np.void]:
    """The world in the dark, as an array of one record."""
    world = np.zeros(1, WORLD)
    world["width"], world["height"] = size
    world["light_radius"] = settings.light_radius_px
    world["size_min"], world["size_max"] = settings.size_min_px, settings.size_max_px
    world["reaction_delay_max"] = settings.reaction_delay_max_ticks
    for name in ("boredom_threshold", "recovery_rate", "onset_gain", "decay_min", "decay_max"):
        world[name] = getattr(settings, name)
    return world
