"""A simulated visitor: comes, holds the light, moves it about, lets go. Marked in the log as `demo`.

It does not model a hand's tremor, a pointing that leaves the screen, or two visitors at once.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from controller.inputs.settings import DemoSettings
from controller.light import LightSample
from controller.motion import eased_speed
from controller.stepper import TICKS_PER_S

FIRST_REST_S = 1.0
LINGER_S = 1.5
NUDGE_PX = 1.0
ARRIVED_PX = 2.0
MARGIN = 0.15


class DemoSource:
    """The same visitor for the same seed: its times are counted in ticks.

    The hand travels between places by ease-in/ease-out (seed 003) and lingers at each.
    """

    def __init__(
        self, settings: DemoSettings, size: tuple[int, int], seed: int, clock: Callable[[], float]
    ) -> None:
        self._settings, self._size, self._clock = settings, size, clock
        self._random = random.Random(seed)
        self._on = False
        self._left_ticks = self._ticks(FIRST_REST_S)
        self._linger_ticks = 0
        self._x, self._y = self._place()
        self._start = self._goal = (self._x, self._y)

    def poll(self, tick: int) -> LightSample:
        """The visitor's light in this tick."""
        self._left_ticks -= 1
        if self._left_ticks <= 0:
            self._change()
        if self._on:
            self._travel()
        return LightSample(
            tick, self._clock(), self._x, self._y, self._on, "demo", True, "" if self._on else "off"
        )

    def _change(self) -> None:
        self._on = not self._on
        mean_s = self._settings.hold_s if self._on else self._settings.rest_s
        self._left_ticks = self._ticks(mean_s * self._random.uniform(0.5, 1.5))
        if self._on:
            self._x, self._y = self._place()
            self._start = self._goal = (self._x, self._y)
            self._linger_ticks = self._ticks(LINGER_S)

    def _travel(self) -> None:
        gone = ((self._x - self._start[0]) ** 2 + (self._y - self._start[1]) ** 2) ** 0.5
        to_x, to_y = self._goal[0] - self._x, self._goal[1] - self._y
        left = (to_x**2 + to_y**2) ** 0.5
        if left > ARRIVED_PX:
            pace = min(eased_speed(gone + NUDGE_PX, left), left)
            self._x += to_x / left * pace
            self._y += to_y / left * pace
            return
        self._linger_ticks -= 1
        if self._linger_ticks <= 0:
            self._start, self._goal = (self._x, self._y), self._place()
            self._linger_ticks = self._ticks(LINGER_S * self._random.uniform(0.5, 2.0))

    def _place(self) -> tuple[float, float]:
        width, height = self._size
        return (
            width * self._random.uniform(MARGIN, 1 - MARGIN),
            height * self._random.uniform(MARGIN, 1 - MARGIN),
        )

    @staticmethod
    def _ticks(seconds: float) -> int:
        return max(1, round(seconds * TICKS_PER_S))

    def resize(self, size: tuple[int, int]) -> None:
        """Another screen size (px): hand and goal keep their places on the wall, as the swarm does."""
        across, down = size[0] / self._size[0], size[1] / self._size[1]
        self._size = size
        self._x, self._y = self._x * across, self._y * down
        self._start = self._start[0] * across, self._start[1] * down
        self._goal = self._goal[0] * across, self._goal[1] * down

    def state(self) -> dict[str, Any]:
        """Nothing that the sample does not say."""
        return {}

    def close(self) -> None:
        """Nothing to let go of."""
