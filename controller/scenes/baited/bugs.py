"""The bugs' state as one record each, the world they see, and how both are made."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from controller.behavior.angles import DEGREE, TWO_PI
from controller.behavior.compiling import rule
from controller.behavior.draws import DRAWS, agent_key, between, tick_key, uniform
from controller.behavior.gait import start_run
from controller.scenes.baited.settings import CONSTANTS, BaitedSettings, constants

_MOVING = (
    "x y heading speed interest target_x target_y milling_angle milling_radius orbit_radius tumble_amount "
    "tremor_phase leg_phase noise_phase"
)
_MADE = (
    "base_speed base_size turn_rate fixation_angle antenna_spread tropotaxis_gain detection_multiple "
    "approach_multiple decay_rate levy_mu milling_speed tremor_frequency"
)
_MOVING_WHOLES = (
    "milling_direction reaction_timer gait gait_timer reacted target_chosen orbit_chosen "
    "reached_at_ticks bored_at_ticks number"
)
_MADE_WHOLES = "handedness reaction_delay"


def _fields(names: str, kind: str) -> Iterable[tuple[str, str]]:
    return ((name, kind) for name in names.split())


# Lengths px, angles and phases rad, rates per tick. 256 bytes, without padding: that would be copied
# or not as numpy likes, and snapshots would differ.
BUG = np.dtype(
    [
        *_fields(_MOVING, "f8"),
        *_fields(_MADE, "f8"),
        *_fields(_MOVING_WHOLES, "i4"),
        *_fields(_MADE_WHOLES, "i4"),
    ]
)
# What a bug is for life: a function of seed, number and settings, so no snapshot needs it.
MADE = (*_MADE.split(), *_MADE_WHOLES.split())
MOVING = (*_MOVING.split(), *_MOVING_WHOLES.split())
# Settings by their own names; `on`, `columns` and `rows` are whole.
WORLD = np.dtype(
    [
        *_fields("light_x light_y width height margin_px cell_px pulse_phase", "f8"),
        *((name, "f8") for name in CONSTANTS),
        *_fields("on columns rows", "i8"),
    ]
)
# When something happened to a bug that has not.
NOT_YET = -1
# No place, angle, speed or phase is ever as large.
BEYOND = 1e9
# Creation has its own stream, so that no tick shares its numbers.
_HATCHING = np.uint64(0xBA17ED)


@rule
def hatch(bugs, first, worlds, given, seed):
    """Make the bugs from number `first` on anew from the seed, with seed 001's distributions."""
    for i in range(first, bugs.size):
        bugs[i].number = i
        put_in(bugs[i], worlds[0], given[0], seed)


@rule
def put_in(bug, world, draws, seed):
    """Make one bug from its number's stream: its character, and how it starts."""
    draws.key = agent_key(tick_key(seed ^ _HATCHING, np.uint64(0)), np.uint64(bug.number))
    draws.spent = 0
    _draw_character(bug, world, draws)
    _draw_start(bug, world, draws)


@rule
def _draw_character(bug, world, draws):
    bug.base_speed = between(world.speed_min_px, world.speed_max_px, draws)
    bug.turn_rate = between(world.turn_rate_min, world.turn_rate_max, draws)
    bug.fixation_angle = between(world.fixation_min_deg, world.fixation_max_deg, draws) * DEGREE
    bug.handedness = 1 if uniform(draws) > 1.0 - world.right_handed_share else -1
    bug.antenna_spread = between(world.antenna_min_px, world.antenna_max_px, draws)
    bug.tropotaxis_gain = between(world.tropotaxis_min, world.tropotaxis_max, draws)
    bug.detection_multiple = between(world.detection_min, world.detection_max, draws)
    bug.reaction_delay = math.floor(between(0.0, world.reaction_delay_max_ticks, draws))
    bug.decay_rate = between(world.decay_min, world.decay_max, draws)
    bug.levy_mu = between(world.levy_mu_min, world.levy_mu_max, draws)
    bug.milling_speed = between(world.milling_speed_min, world.milling_speed_max, draws)
    bug.base_size = between(world.size_min_px, world.size_max_px, draws)
    bug.tremor_frequency = between(world.tremor_min, world.tremor_max, draws)
    if uniform(draws) < world.eager_share:
        bug.approach_multiple = between(world.eager_min, world.eager_max, draws)
    elif uniform(draws) > 1.0 - world.sluggish_share:
        bug.approach_multiple = between(world.sluggish_min, world.sluggish_max, draws)
    else:
        bug.approach_multiple = between(world.usual_min, world.usual_max, draws)


@rule
def _draw_start(bug, world, draws):
    bug.x = between(0.0, world.width, draws)
    bug.y = between(0.0, world.height, draws)
    bug.heading = between(-math.pi, math.pi, draws)
    bug.tremor_phase = between(0.0, TWO_PI, draws)
    bug.leg_phase = between(0.0, TWO_PI, draws)
    bug.milling_angle = between(-math.pi, math.pi, draws)
    bug.noise_phase = world.noise_per_tremor * bug.tremor_phase + world.noise_rate
    bug.interest = 1.0
    bug.milling_direction = bug.handedness
    bug.milling_radius = bug.orbit_radius = bug.tumble_amount = 0.0
    bug.target_x = bug.target_y = 0.0
    bug.reacted = bug.target_chosen = bug.orbit_chosen = False
    bug.reaction_timer = 0
    bug.reached_at_ticks = bug.bored_at_ticks = NOT_YET
    start_run(bug, world, draws)


@rule
def astray(bug):
    """True when anything that changes is not a number, or one of it is beyond all that a bug can come to."""
    place = (bug.x + bug.y) + (bug.target_x + bug.target_y)
    way = (bug.heading + bug.speed) + (bug.milling_angle + bug.tumble_amount)
    orbit = (bug.milling_radius + bug.orbit_radius) + bug.interest
    phases = (bug.tremor_phase + bug.leg_phase) + bug.noise_phase
    found = (place + way) + (orbit + phases)
    return not (-BEYOND < found < BEYOND)


def no_draws() -> npt.NDArray[np.void]:
    """One DRAWS record with nothing given by hand."""
    draws = np.zeros(1, DRAWS)
    draws["noise"] = np.nan
    return draws


def world_of(settings: BaitedSettings, size: tuple[int, int]) -> npt.NDArray[np.void]:
    """The world in the dark, as an array of one record."""
    world = np.zeros(1, WORLD)
    world["width"], world["height"] = size
    fill_in(world, settings)
    return world


def fill_in(world: npt.NDArray[np.void], settings: BaitedSettings) -> None:
    """Put the settings' constants into the world."""
    for name, value in constants(settings).items():
        world[name] = value


def fastest_px(settings: BaitedSettings) -> float:
    """No bug made with these settings has a larger speed, px a tick."""
    character, approach = settings.character, settings.approach
    eager = max(character.eager_max, character.sluggish_max, character.usual_max)
    paces = (
        settings.gait.run_pace_max,
        settings.gait.tumble_pace,
        settings.milling.milling_pace_max,
        settings.avoidance.avoid_pace_max,
        eager * max(1.0, approach.edge_pace) * approach.approach_pace_max,
    )
    return character.speed_max_px * max(paces)
