"""A whole swarm by the article's draw(): one plain bug after another, each looking at all others."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from controller.scenes.baited.scene import BaitedScene
from tests.behavior.naive import TWO_PI, Bug, World
from tests.behavior.naive_numbers import Random, constrain, key_of, noise_of, unit_numbers
from tests.behavior.pairs import bug_of, difference, values

HATCHING = 0xBA17ED
# Filled in by the visit's measures and by the bugs' making: no part of a tick.
BESIDE = {"reached_at_ticks", "bored_at_ticks"}
noise_of_seed: Callable[[int], Callable[[float], float]] = functools.cache(noise_of)


def random_of(seed: int, tick: int, number: int) -> Random:
    """The numbers of one bug in one tick."""
    return Random(unit_numbers(key_of(seed, tick, number)))


def worst(record: Any, bug: Bug) -> tuple[float, str]:
    """By how much, and in which field, a shipped bug and its twin differ most.

    Places count in parts of the step where that is longer than 1 px.
    """
    twin, step_px = vars(bug), max(1.0, abs(bug.speed))
    found = [
        (difference(name, value, twin[name]) / (step_px if name in ("x", "y") else 1.0), name)
        for name, value in values(record).items()
        if name not in BESIDE
    ]
    return max(found)


class NaiveSwarm:
    """The bugs of a scene, as they are now, as plain objects."""

    def __init__(self, scene: BaitedScene) -> None:
        self.world = World(**values(scene.world[0]))
        self.bugs = [bug_of(bug) for bug in scene.bugs]
        self.seed, self.tick = int(scene.seed), scene.tick

    def step(self, on: bool, x: float, y: float) -> None:
        """One frame of the article's loop."""
        just_on = on and not self.world.on
        self.world.on, self.world.light_x, self.world.light_y = on, x, y
        self.tick += 1
        left = [self._cell(bug) for bug in self.bugs]
        for bug in self.bugs:
            bug.came_round = False
        for number, bug in enumerate(self.bugs):
            if just_on:
                bug.on_light_on(self.world)
            seen = [
                other for other, cell in zip(self.bugs, left, strict=True) if sees(left[number], other, cell)
            ]
            noise = noise_of_seed(self.seed)(bug.noise_phase)
            bug.update(self.world, seen, random_of(self.seed, self.tick, number), noise)
            bug.grow_phases(self.world)
            bug.noise_phase += self.world.noise_per_tremor * bug.tremor_frequency + self.world.noise_rate

    def _cell(self, bug: Bug) -> tuple[float, float]:
        """The column and row of the product's grid."""
        margin, cell_px = self.world.margin_px, self.world.cell_px
        column, row = math.floor((bug.x + margin) / cell_px), math.floor((bug.y + margin) / cell_px)
        return constrain(column, 0, self.world.columns - 1), constrain(row, 0, self.world.rows - 1)


def sees(own: tuple[float, float], other: Bug, left: tuple[float, float]) -> bool:
    """The product's one liberty: who comes round the edge is seen at its new place from the next tick on.

    In this tick only those see it there whose `own` cell is beside the one that it `left`.
    """
    beside = abs(own[0] - left[0]) <= 1 and abs(own[1] - left[1]) <= 1
    return beside or not other.came_round


def hatched(world: World, seed: int, number: int) -> Bug:
    """The article's constructor, with the numbers of a bug's own stream."""
    random = random_of(seed ^ HATCHING, 0, number)
    bug = Bug(**character(world, random), number=number, gait="run")
    bug.x, bug.y = random(0, world.width), random(0, world.height)
    bug.heading = random(-math.pi, math.pi)
    bug.tremor_phase, bug.leg_phase = random(0, TWO_PI), random(0, TWO_PI)
    bug.milling_angle = random(-math.pi, math.pi)
    bug.noise_phase = world.noise_per_tremor * bug.tremor_phase + world.noise_rate * 1
    bug.interest, bug.milling_direction = 1.0, bug.handedness
    for name in ("milling_radius", "orbit_radius", "tumble_amount", "target_x", "target_y", "reaction_timer"):
        setattr(bug, name, 0)
    bug.reacted = bug.target_chosen = bug.orbit_chosen = False
    bug.next_run(world, random)
    return bug


def character(world: World, random: Random) -> dict[str, float]:
    """What a bug is for life, drawn in the article's order."""
    found: dict[str, float] = {
        "base_speed": random(world.speed_min_px, world.speed_max_px),
        "turn_rate": random(world.turn_rate_min, world.turn_rate_max),
        "fixation_angle": random(world.fixation_min_deg, world.fixation_max_deg) * (math.pi / 180),
        "handedness": 1 if random() > 1 - world.right_handed_share else -1,
        "antenna_spread": random(world.antenna_min_px, world.antenna_max_px),
        "tropotaxis_gain": random(world.tropotaxis_min, world.tropotaxis_max),
        "detection_multiple": random(world.detection_min, world.detection_max),
        "reaction_delay": math.floor(random(0, world.reaction_delay_max_ticks)),
        "decay_rate": random(world.decay_min, world.decay_max),
        "levy_mu": random(world.levy_mu_min, world.levy_mu_max),
        "milling_speed": random(world.milling_speed_min, world.milling_speed_max),
        "base_size": random(world.size_min_px, world.size_max_px),
        "tremor_frequency": random(world.tremor_min, world.tremor_max),
    }
    if random() < world.eager_share:
        pace = random(world.eager_min, world.eager_max)
    elif random() > 1 - world.sluggish_share:
        pace = random(world.sluggish_min, world.sluggish_max)
    else:
        pace = random(world.usual_min, world.usual_max)
    return {**found, "approach_multiple": pace}
