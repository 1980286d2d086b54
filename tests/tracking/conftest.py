"""Made pictures with a known truth: a noisy scene, discs and soft spots at sub-pixel places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

FRAME_S = 1 / 30


class Scene:
    """Grey pictures of one scene; every call gives new sensor noise (standard deviation in levels)."""

    def __init__(
        self, width: int, height: int, level: float = 20.0, noise: float = 3.0, seed: int = 1
    ) -> None:
        self.random = np.random.default_rng(seed)
        self.noise = noise
        self.base = np.full((height, width), level, np.float32)
        self.columns, self.rows = np.meshgrid(
            np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)
        )

    def disc(self, x: float, y: float, radius: float, level: float = 255.0) -> np.ndarray:
        """Light to add: a disc with a soft edge of one pixel, (h, w, ...) in levels over the scene."""
        distance = np.hypot(self.columns - x, self.rows - y)
        return np.clip(radius + 0.5 - distance, 0.0, 1.0) * level

    def spot(self, x: float, y: float, sigma: float, level: float = 230.0) -> np.ndarray:
        """Light to add: a soft round spot."""
        return level * np.exp(-((self.columns - x) ** 2 + (self.rows - y) ** 2) / (2 * sigma**2))

    def picture(self, *lights: np.ndarray, gain: float = 1.0) -> np.ndarray:
        """One uint8 camera picture (h, w)."""
        light = self.base * gain + sum(lights) + self.random.normal(0.0, self.noise, self.base.shape)
        return np.clip(np.rint(light), 0, 255).astype(np.uint8)


@pytest.fixture
def scene() -> Callable[..., Scene]:
    return Scene
