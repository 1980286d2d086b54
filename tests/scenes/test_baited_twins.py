"""The shipped tick of a whole swarm against the article's loop, under every constant, and its drawing."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from controller.scenes.baited.bugs import MADE
from controller.scenes.baited.constants_looks import Looks
from controller.scenes.baited.scene import DUST_GRAINS, BaitedScene
from controller.scenes.baited.settings import CONSTANTS, BaitedSettings
from tests.behavior.naive import Bug, World
from tests.behavior.pairs import JIT_OFF, TOLERANCE, bug_of, fewer, limits, random_settings, values
from tests.scenes.naive_drawing import Look, between, display, dust
from tests.scenes.naive_scenes import SITUATIONS, Light, poses_of, situated
from tests.scenes.naive_swarm import NaiveSwarm, hatched, worst

SIZES = {0: (640, 480), 1: (1, 1), 2: (1, 1), 3: (4000, 3000), 40: (320, 240), fewer(250): (1280, 720)}
MANY = 40
# These change only what is drawn; the swaying of the legs is a bug's own phase.
LOOKS = [name for name in Looks.model_fields if name != "leg_rate"]


def assert_alike(scene: BaitedScene, twins: list[Bug], tolerance: float = TOLERANCE) -> None:
    for record, twin in zip(scene.bugs, twins, strict=True):
        off, name = worst(record, twin)
        assert off <= tolerance, f"tick {scene.tick}: {name} is off by {off:.3g}: {twin}"


def follow(scene: BaitedScene, light: Light, ticks: int) -> None:
    """Each tick from the shipped state, for a swarm is chaotic."""
    for tick in range(ticks):
        twin = NaiveSwarm(scene)
        scene.step(*light(tick))
        twin.step(*light(tick))
        assert_alike(scene, twin.bugs)
    assert scene.put_back == 0


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("constants", ["the article's", "any"])
def test_every_tick_of_a_swarm_is_the_articles(situation: str, number: int, constants: str) -> None:
    rng = np.random.default_rng((number, len(situation)))
    settings = BaitedSettings(bugs=number) if constants == "the article's" else random_settings(rng, number)
    scene, light = situated(situation, settings, SIZES[number], seed=number + 1)
    follow(scene, light, 4 if JIT_OFF else 20 if number <= MANY else 8)


@pytest.mark.parametrize("size", [(1, 1), (20, 3000), (4000, 3000)])
def test_every_tick_of_250_bugs_is_the_articles_on_the_smallest_and_largest_screens(
    size: tuple[int, int],
) -> None:
    scene, light = situated("lit", BaitedSettings(bugs=fewer(250)), size, seed=5)
    follow(scene, light, 4)


@pytest.mark.parametrize("seed", range(20 if not JIT_OFF else 2))
def test_every_tick_is_the_articles_under_any_constants(seed: int) -> None:
    settings = random_settings(np.random.default_rng((seed, 1)), 30)
    scene, light = situated(SITUATIONS[seed % len(SITUATIONS)], settings, (800, 600), seed)
    follow(scene, light, 10)


def test_bugs_are_made_as_the_articles_constructor_makes_them() -> None:
    for seed in (0, 1, 2**63 + 5):
        for settings in (BaitedSettings(bugs=40), random_settings(np.random.default_rng(seed), 40)):
            scene = BaitedScene(settings, (1280, 720), seed)
            world = World(**values(scene.world[0]))
            assert_alike(scene, [hatched(world, seed, number) for number in range(40)])


def path_of(name: str) -> str:
    """`key` or `section.key`, as `configure` is told it."""
    found = {section for section, value in BaitedSettings() if hasattr(value, name)}
    return f"{found.pop()}.{name}" if found else name


def another(name: str) -> float:
    """A value far from the default and in order with its partner: half-way there, or an own one."""
    section: Any = BaitedSettings()
    *sections, key = path_of(name).split(".")
    for inner in sections:
        section = getattr(section, inner)
    now, field = getattr(section, key), type(section).model_fields[key]
    low, high = limits(field)
    for pair in (*section.pairs(), *section.APART):
        if key in pair:
            middle = sum(getattr(section, end) for end in pair) / 2
            return round(middle) if field.annotation is int else middle
    if (low, high) == (0.0, 1.0):
        return 0.9 if now <= 0.5 else 0.1
    return min(now * 2, high)


def prepared() -> BaitedScene:
    """Bugs in every state near a light, with the characters that they were made with."""
    scene, _ = situated("lit", BaitedSettings(bugs=100), (900, 600), seed=3)
    made = BaitedScene(BaitedSettings(bugs=100), (900, 600), seed=3).bugs
    for field in MADE:
        scene.bugs[field] = made[field]
    return scene


def lights() -> Iterator[tuple[bool, float, float]]:
    """On, off and on again."""
    yield from ((on, 450.0, 300.0) for on in (True, True, True, False, True))


def after_all(world: World) -> NaiveSwarm:
    """The article's swarm from `prepared`, as it is after all lights under the world's constants."""
    swarm = NaiveSwarm(prepared())
    swarm.world = world
    for number, bug in enumerate(swarm.bugs):
        made = hatched(world, swarm.seed, number)
        for field in MADE:
            setattr(bug, field, getattr(made, field))
    for light in lights():
        swarm.step(*light)
    return swarm


@functools.cache
def unchanged() -> BaitedScene:
    """The shipped swarm after all lights under the article's constants."""
    scene = prepared()
    for light in lights():
        scene.advance(*light)
    return scene


@pytest.mark.parametrize("name", [name for name in CONSTANTS if name not in LOOKS][:: 20 if JIT_OFF else 1])
def test_a_constant_that_changes_while_running_changes_the_bugs_that_it_would_change_in_the_article(
    name: str,
) -> None:
    """So none is still a number in a kernel."""
    plain = unchanged()
    scene = prepared()
    world = World(**{**values(scene.world[0]), name: another(name)})
    scene.configure(path_of(name), another(name))
    for light in lights():
        scene.advance(*light)
    twin = after_all(world)
    assert_alike(scene, twin.bugs, 1e-6)
    numbers = range(len(twin.bugs))
    differ = [i for i in numbers if worst(scene.bugs[i], bug_of(plain.bugs[i]))[0] > 1e-6]
    differ_in_twin = [i for i in numbers if worst(plain.bugs[i], twin.bugs[i])[0] > 1e-6]
    assert differ
    assert differ == differ_in_twin


def looks(scene: BaitedScene) -> list[Look]:
    world = World(**values(scene.world[0]))
    return [display(bug_of(bug), world, int(scene.seed), scene.tick) for bug in scene.bugs]


@pytest.mark.parametrize("name", LOOKS)
def test_a_constant_of_looks_changes_what_is_drawn_as_in_the_article_and_nothing_else(name: str) -> None:
    scene, plain = prepared(), unchanged()
    scene.configure(path_of(name), another(name))
    for light in lights():
        scene.advance(*light)
    assert scene.bugs.tobytes() == plain.bugs.tobytes()
    assert np.abs(poses_of(scene) - poses_of(plain)).max() > 1e-3
    assert np.abs(poses_of(scene) - np.array(looks(scene))).max() <= TOLERANCE


@pytest.mark.parametrize("situation", ["lit", "dark", "bored"])
def test_every_look_is_the_articles(situation: str) -> None:
    scene, light = situated(situation, BaitedSettings(bugs=fewer(250)), (1280, 720), seed=2)
    for tick in range(fewer(20)):
        scene.step(*light(tick))
        assert np.abs(poses_of(scene) - np.array(looks(scene))).max() <= TOLERANCE


def test_every_row_between_two_ticks_is_on_the_straight_way_and_the_shorter_turn() -> None:
    """float32: a few ten-thousandths of a px at these sizes."""
    scene, light = situated("lit", BaitedSettings(bugs=fewer(250)), (1280, 720), seed=4)
    scene.step(*light(0))
    for tick in range(1, fewer(40)):
        before, twin = looks(scene), NaiveSwarm(scene)
        scene.step(*light(tick))
        twin.step(*light(tick))
        for alpha in (0.0, 0.25, 0.9, 1.0):
            ways = zip(before, looks(scene), (bug.came_round for bug in twin.bugs), strict=True)
            expected = np.array([between(start, end, alpha, came) for start, end, came in ways])[:, :5]
            off = np.abs(scene.frame(alpha)[0] - expected)
            off[:, 2] = np.abs((off[:, 2] + math.pi) % (2 * math.pi) - math.pi)
            assert off.max() <= 2e-4


def test_the_dust_of_every_tick_is_as_defined() -> None:
    for seed, place in ((0, (300.5, 200.25)), (2**63 + 1, (4000.0, 1.0))):
        scene = BaitedScene(BaitedSettings(bugs=1), (4000, 3000), seed)
        for _ in range(5):
            scene.step(True, *place)
            expected = dust(seed, scene.tick, *place, 1.2 * 220.0, DUST_GRAINS)
            assert np.abs(scene.frame(1.0)[2] - expected).max() <= 5e-4
