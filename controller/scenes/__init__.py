"""The scenes by name; importing this loads none of them."""

from __future__ import annotations

import importlib
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

Rows = npt.NDArray[np.float32]
Beam = tuple[float, float, float, float]

# No picture has a longer side: the settings allow 65,536 px.
LARGEST_PX = 2**17
SCENES = {"baited": "controller.scenes.baited.scene"}


class Scene(Protocol):
    """What the loop asks of a scene: one tick, one picture, its settings and measures.

    `frame` returns rows (n, 5) float32 of x px, y px, angle rad, size px, alpha 0..1; a beam
    (x px, y px, radius px, strength 0..1); dust (m, 4) float32 of x px, y px, diameter px, alpha.
    `size` is in px; a snapshot may bring another one. `configure`, `resize` and `restore` change all of
    what they change or, when they raise, nothing; ValueError is a refusal, anything else a fault.
    """

    @property
    def size(self) -> tuple[int, int]: ...

    def step(self, on: bool, x: float, y: float) -> None: ...

    def frame(self, alpha: float) -> tuple[Rows, Beam, Rows]: ...

    def configure(self, name: str, value: float) -> None: ...

    def resize(self, size: tuple[int, int]) -> None: ...

    def begin_visit(self) -> None: ...

    def measures(self) -> dict[str, float]: ...

    def snapshot(self) -> bytes: ...

    def restore(self, saved: bytes) -> None: ...


def open_scene(name: str, settings: BaseModel, size: tuple[int, int], seed: int) -> Scene:
    """Make the scene `name` with its own settings section; raises KeyError for an unknown one."""
    module: Any = importlib.import_module(SCENES[name])
    scene: Scene = module.open_scene(settings, size, seed)
    return scene


def rehearse(name: str, settings: BaseModel) -> None:
    """Run every kernel of the scene `name` once, light on and off, so that all are compiled or loaded."""
    scene = open_scene(name, settings, (640, 480), seed=1)
    for on in (False, True, True, False):
        scene.step(on, 320.0, 240.0)
        scene.frame(0.5)
