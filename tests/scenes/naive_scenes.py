"""Scenes for the twins: opened with or without the JIT, and put into every situation."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import controller.scenes.baited.scene as scene_module
from controller.scenes.baited.drawing import POSE_FIELDS
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from tests.behavior.pairs import JIT_OFF, records, stir

Light = Callable[[int], tuple[bool, float, float]]
SITUATIONS = ("lit", "dark", "bored", "crowd", "spot", "flicker")
CROWD_PX = 40.0


def _readable(kernel: Callable[..., None]) -> Callable[..., None]:
    """The kernel as plain Python, which reads and writes a record's fields as attributes."""

    def call(*arguments: Any) -> None:
        kernel(*(records(a) if getattr(a, "dtype", np.dtype(int)).names else a for a in arguments))

    return call


if JIT_OFF:
    for kernel in scene_module.KERNELS:
        setattr(scene_module, kernel.__name__, _readable(kernel))
    scene_module.levels_of = functools.cache(scene_module.levels_of)


def poses_of(scene: BaitedScene) -> npt.NDArray[np.float64]:
    """How the shipped kernel draws the bugs of now, (n, 6)."""
    poses = np.empty((scene.bugs.size, POSE_FIELDS))
    scene_module.pose(scene.bugs, scene.world, scene.seed, np.uint64(scene.tick), poses)
    return poses


def situated(
    name: str, settings: BaitedSettings, size: tuple[int, int], seed: int
) -> tuple[BaitedScene, Light]:
    """A scene whose bugs are in any state that suits the situation, and its light by tick."""
    scene = BaitedScene(settings, size, seed)
    rng, bugs = np.random.default_rng((seed, 3)), scene.bugs
    stir(rng, bugs, scene.world[0])
    x, y = size[0] * 0.5, size[1] * 0.5
    if name == "bored":
        bugs["interest"] = settings.boredom_threshold * rng.choice([1.0, 0.5, 0.0], bugs.size)
    if name == "crowd":
        way, away = rng.uniform(-math.pi, math.pi, bugs.size), rng.uniform(0, CROWD_PX / 2, bugs.size)
        bugs["x"], bugs["y"] = x + away * np.cos(way), y + away * np.sin(way)
    if name == "spot":
        bugs["x"], bugs["y"] = x, y
    scene.world["on"] = name not in ("dark", "flicker")
    lit: dict[str, Callable[[int], bool]] = {"dark": lambda tick: False, "flicker": lambda tick: tick % 5 < 3}
    return scene, lambda tick: (lit.get(name, lambda tick: True)(tick), x, y)
