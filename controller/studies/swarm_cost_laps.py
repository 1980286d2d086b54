"""Swarms for `bench swarm`, and laps: ticks from one and the same start, timed in turn with others."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from controller.scenes.baited.kernel import step
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.stepper import TICKS_PER_S

SIZE_PX = (1920, 1080)
CENTRE_PX = (960.0, 540.0)
BUGS, SEED = 250, 1
# Until nearly all are in the circle and at their gaits.
WARM_UP_TICKS = 700
CROWD_RADIUS_PX = 40.0
# The bugs that mill fill this share of the circle's radius.
MILLING_SHARE = 0.62
NS_A_TICK = 1e9 / TICKS_PER_S
HOUR_TICKS = 3600 * TICKS_PER_S
MOODS = {"dark": False, "gathered": True}
# ns of CPU time of this process: other processes make it wait, but they are not in it.
CPU_NS = time.process_time_ns
Run = Callable[[], float]
Tick = Callable[..., Any]
Arguments = Callable[[BaitedScene, bool, int], tuple[Any, ...]]


class Effort(NamedTuple):
    """How long to measure."""

    rounds: int
    lap_ticks: int
    growth: tuple[int, ...]
    growth_bug_ticks: int
    hour_ticks: int
    compiles: bool


FULL = Effort(15, 600, (250, 1000, 10_000, 100_000), 2_000_000, HOUR_TICKS, compiles=True)
QUICK = Effort(5, 150, (250, 1000, 10_000), 100_000, HOUR_TICKS // 40, compiles=False)


def in_turn(runs: Mapping[str, Run], rounds: int) -> dict[str, npt.NDArray[np.float64]]:
    """What each run says it cost (rounds,), one after another in each round, every other round backwards."""
    names = list(runs)
    found: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        for name in names if turn % 2 else reversed(names):
            found[name].append(runs[name]())
    return {name: np.array(costs) for name, costs in found.items()}


def kernel_arguments(scene: BaitedScene, just_on: bool, tick: int) -> tuple[Any, ...]:
    """What the kernel takes for this scene's tick."""
    return (
        *(scene.bugs, scene.world, scene.visit, scene.draws),
        *(just_on, scene.seed, np.uint64(tick), *scene.grid, scene.levels),
    )


class Start:
    """A scene's state as it is now, to come back to; the arrays stay the same ones."""

    def __init__(self, scene: BaitedScene) -> None:
        self.scene, self._tick = scene, scene.tick
        self._kept = tuple(array.copy() for array in (scene.bugs, scene.world, scene.visit))

    def back(self) -> None:
        """Go back there."""
        self.scene.tick = self._tick
        now = (self.scene.bugs, self.scene.world, self.scene.visit)
        for array, kept in zip(now, self._kept, strict=True):
            array[:] = kept


def lap(scene: BaitedScene, ticks: int, walk: Callable[[], None]) -> Run:
    """So many ticks, made by `walk`, from where the scene is now: CPU ns a tick."""
    start = Start(scene)

    def run() -> float:
        start.back()
        before = CPU_NS()
        walk()
        return (CPU_NS() - before) / ticks

    return run


def stepped(
    scene: BaitedScene, ticks: int, tick: Tick = step, arguments: Arguments = kernel_arguments
) -> Run:
    """A lap of behaviour only, by the kernel or what is called like it; the arguments are made before."""
    calls = [arguments(scene, False, scene.tick + 1 + number) for number in range(ticks)]

    def walk() -> None:
        for call in calls:
            tick(*call)

    return lap(scene, ticks, walk)


def placed(scene: BaitedScene, ticks: int, places: Sequence[npt.NDArray[np.float64]] = ()) -> Run:
    """A lap whose ticks are timed one by one, the bugs put at their places (2, n) before each if any."""
    start = Start(scene)
    calls = [kernel_arguments(scene, False, scene.tick + 1 + number) for number in range(ticks)]

    def run() -> float:
        start.back()
        spent = 0
        for number, call in enumerate(calls):
            if places:
                scene.bugs["x"], scene.bugs["y"] = places[number]
            before = CPU_NS()
            step(*call)
            spent += CPU_NS() - before
        return spent / ticks

    return run


def warmed(on: bool, bugs: int = BUGS) -> BaitedScene:
    """A swarm after the warm-up: in the dark, or gathered at a light at the centre."""
    scene = BaitedScene(BaitedSettings(bugs=bugs), SIZE_PX, SEED)
    for _ in range(WARM_UP_TICKS):
        scene.advance(on, *CENTRE_PX)
    return scene


def grown(on: bool, bugs: int, warm_up: int) -> BaitedScene:
    """A swarm at the density of 250 on the screen, whatever the number; lit, it is milling already."""
    times = math.sqrt(bugs / BUGS)
    size = (round(SIZE_PX[0] * times), round(SIZE_PX[1] * times))
    scene = BaitedScene(BaitedSettings(bugs=bugs, reaction_delay_max_ticks=0), size, SEED)
    radius = float(scene.world["light_radius_px"][0]) * times
    scene.world["light_radius_px"] = radius
    centre = (size[0] / 2, size[1] / 2)
    if on:
        scene.bugs["x"], scene.bugs["y"] = disc(bugs, MILLING_SHARE * radius, centre, SEED)
    for _ in range(warm_up):
        scene.advance(on, *centre)
    return scene


def disc(count: int, radius_px: float, centre_px: tuple[float, float], seed: int) -> npt.NDArray[np.float64]:
    """Places evenly over a disc, px (2, count)."""
    random = np.random.default_rng(seed)
    away = radius_px * np.sqrt(random.random(count))
    way = random.uniform(0.0, 2 * math.pi, count)
    return np.array([centre_px[0] + away * np.cos(way), centre_px[1] + away * np.sin(way)])


def ungridded(scene: BaitedScene) -> BaitedScene:
    """The same scene with all its bugs in one cell, so that each looks at every other."""
    scene.world["columns"] = scene.world["rows"] = 1
    one_cell_and_rim = np.zeros(3 * 3 + 2, np.int32)
    scene.grid = (one_cell_and_rim, *scene.grid[1:])
    return scene
