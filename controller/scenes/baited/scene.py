"""The scene `baited`: 250 bugs, a light that they gather at, grow bored of and leave."""

from __future__ import annotations

import math
import struct

import numpy as np
import numpy.typing as npt

from controller.behavior.separation import PERSONAL_SPACE
from controller.behavior.smooth_noise import levels_of
from controller.scenes import Beam, Rows
from controller.scenes.baited.bugs import BUG, WORLD, hatch, world_of
from controller.scenes.baited.drawing import POSE_FIELDS, X, Y, interpolate, pose, scatter_dust
from controller.scenes.baited.kernel import step
from controller.scenes.baited.settings import BaitedSettings

KERNELS = (step, pose, interpolate, scatter_dust)
# Base speed 4.5 of an eager bug (1.5) on a quick tick (1.1), at the largest noise factor.
LONGEST_STEP_PX = 4.5 * 1.5 * 1.1 * 0.98
DUST_GRAINS = 40
DUST_REACH = 1.2
NO_TAPE = np.empty((0, 0))
NO_NOISES = np.empty(0)
_SAVED_HEAD = struct.Struct("<4sQq")
_SAVED_MARK = b"BT01"
_DARK = np.empty((0, 4), np.float32)


def open_scene(settings: BaitedSettings, size: tuple[int, int], seed: int) -> BaitedScene:
    """The registry's way in."""
    return BaitedScene(settings, size, seed)


# What each bug is given for life when it is made, by the setting that it is drawn from.
_MADE_WITH = {
    "decay_min": "decay_rate",
    "decay_max": "decay_rate",
    "reaction_delay_max_ticks": "reaction_delay",
    "size_min_px": "base_size",
    "size_max_px": "base_size",
}


class BaitedScene:
    """The swarm's arrays and the order in which its kernels touch them.

    `settings` are copied; `size` is the screen in px; `seed` an integer >= 0. Knows no time,
    file, window or device: equal calls give equal rows.
    """

    _before: npt.NDArray[np.float64]
    _after: npt.NDArray[np.float64]
    _xs: npt.NDArray[np.float64]
    _ys: npt.NDArray[np.float64]
    _dust: Rows

    def __init__(self, settings: BaitedSettings, size: tuple[int, int], seed: int) -> None:
        self.settings = settings.model_copy()
        self.seed = np.uint64(seed)
        self.tick = 0
        self.world = world_of(self.settings, size)
        self.levels = levels_of(int(self.seed))
        self.bugs = np.zeros(self.settings.bugs, BUG)
        hatch(self.bugs, 0, self.world[0], self.seed, NO_TAPE)
        self._allocate()

    @property
    def size(self) -> tuple[int, int]:
        """The screen in px."""
        return int(self.world["width"][0]), int(self.world["height"][0])

    def step(self, on: bool, x: float, y: float) -> None:
        """One tick with the light at (x, y) px, and how the bugs look after it.

        A position that is not finite leaves the light where it was.
        """
        self.advance(on, x, y)
        self._before, self._after = self._after, self._before
        tick = np.uint64(self.tick)
        pose(self.bugs, self.seed, tick, self._after)
        if self.world["on"][0]:
            light = self.world[0]
            reach = light["light_radius"] * DUST_REACH
            scatter_dust(self.seed, tick, light["light_x"], light["light_y"], reach, self._dust)

    def advance(
        self,
        on: bool,
        x: float,
        y: float,
        tape: npt.NDArray[np.float64] = NO_TAPE,
        noises: npt.NDArray[np.float64] = NO_NOISES,
    ) -> None:
        """One tick of behaviour, nothing drawn; tape and noises replace random numbers (tests)."""
        just_on = bool(on) and not bool(self.world["on"][0])
        self.world["on"] = bool(on)
        if math.isfinite(x) and math.isfinite(y):
            self.world["light_x"], self.world["light_y"] = x, y
        self.tick += 1
        cells = (self._edge, self._columns, self._rows, self._starts, self._cells)
        sorted_bugs = (self._places, self._xs, self._ys)
        step(
            self.bugs,
            self.world,
            just_on,
            self.seed,
            np.uint64(self.tick),
            *cells,
            *sorted_bugs,
            self.levels,
            tape,
            noises,
        )

    def frame(self, alpha: float) -> tuple[Rows, Beam, Rows]:
        """The picture `alpha` (0..1) of the way from the tick before to the last one."""
        width, height = self.size
        interpolate(self._before, self._after, float(alpha), float(width), float(height), self._drawn)
        light = self.world[0]
        beam = (float(light["light_x"]), float(light["light_y"]), float(light["light_radius"]))
        if not light["on"]:
            return self._drawn, (*beam, 0.0), _DARK
        return self._drawn, (*beam, 1.0), self._dust

    def configure(self, name: str, value: float) -> None:
        """Change one setting while running; pydantic's ValidationError for a value out of range."""
        changed = self.settings.model_copy()
        setattr(changed, name, value)
        self.settings = changed
        kept = self.world[0].copy()
        self.world = world_of(changed, self.size)
        for field in ("light_x", "light_y", "on"):
            self.world[field] = kept[field]
        if name in _MADE_WITH:
            self._make_anew(_MADE_WITH[name])
        if changed.bugs != self.bugs.size:
            self._change_number(changed.bugs)
        else:
            self._lay_grid()

    def _make_anew(self, field: str) -> None:
        """Give every bug what it would have been made with under the settings of now."""
        made = np.zeros(self.bugs.size, BUG)
        hatch(made, 0, self.world[0], self.seed, NO_TAPE)
        self.bugs[field] = made[field]

    def _change_number(self, count: int) -> None:
        kept = min(count, self.bugs.size)
        bugs = np.zeros(count, BUG)
        bugs[:kept] = self.bugs[:kept]
        hatch(bugs, kept, self.world[0], self.seed, NO_TAPE)
        before = self._before[:kept].copy()
        self.bugs = bugs
        self._allocate()
        self._before[:kept] = before

    def resize(self, size: tuple[int, int]) -> None:
        """Another screen size in px: all keep their place on the wall, so nothing jumps there."""
        before = self.size
        self.world["width"], self.world["height"] = size
        for axis, name in ((X, "x"), (Y, "y")):
            share = size[axis] / before[axis]
            way_px = self.bugs[name] * (share - 1.0)
            self.bugs[name] += way_px
            # Their targets come along, or all would walk to where the old screen was.
            self.bugs[f"target_{name}"] += way_px
            self.world[f"light_{name}"] *= share
            self._before[:, axis] *= share
            self._after[:, axis] *= share
            self._dust[:, axis] *= share
        self._lay_grid()

    def begin_visit(self) -> None:
        """A visit began; this scene has nothing to reset."""

    def measures(self) -> dict[str, float]:
        """Counts of this moment: bugs, inside the circle, bored; and the mean interest."""
        if not self.bugs.size:
            return {"bugs": 0.0, "inside": 0.0, "bored": 0.0, "mean_interest": 0.0}
        return {
            "bugs": float(self.bugs.size),
            "inside": float(np.count_nonzero(self.inside())),
            "bored": float(np.count_nonzero(self.bored())),
            "mean_interest": float(self.bugs["interest"].mean()),
        }

    def inside(self) -> npt.NDArray[np.bool_]:
        """Which bugs are within the light's radius of its position, lit or not (n,)."""
        light = self.world[0]
        away = np.hypot(self.bugs["x"] - light["light_x"], self.bugs["y"] - light["light_y"])
        return np.asarray(away < light["light_radius"])

    def bored(self) -> npt.NDArray[np.bool_]:
        """Which bugs have an interest at or below the threshold (n,)."""
        return np.asarray(self.bugs["interest"] <= self.settings.boredom_threshold)

    def snapshot(self) -> bytes:
        """The whole state, for `restore` on a scene of the same settings."""
        head = _SAVED_HEAD.pack(_SAVED_MARK, int(self.seed), self.tick)
        return head + self.world.tobytes() + self.bugs.tobytes()

    def restore(self, saved: bytes) -> None:
        """Go on from a snapshot; ValueError when it is not one of this version."""
        rest = len(saved) - _SAVED_HEAD.size - WORLD.itemsize
        if rest < 0 or rest % BUG.itemsize or saved[:4] != _SAVED_MARK:
            raise ValueError("not a snapshot of the scene baited")
        _, seed, tick = _SAVED_HEAD.unpack_from(saved)
        bugs = np.frombuffer(saved, BUG, offset=_SAVED_HEAD.size + WORLD.itemsize).copy()
        self.world = np.frombuffer(saved, WORLD, 1, _SAVED_HEAD.size).copy()
        self.seed, self.tick, self.bugs = np.uint64(seed), tick, bugs
        self.levels = levels_of(seed)
        self._allocate()

    def _allocate(self) -> None:
        count = self.bugs.size
        self._cells, self._places = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self._xs, self._ys = np.empty(count), np.empty(count)
        self._before, self._after = np.empty((count, POSE_FIELDS)), np.empty((count, POSE_FIELDS))
        self._drawn = np.empty((count, 5), np.float32)
        self._dust = np.zeros((DUST_GRAINS, 4), np.float32)
        self._lay_grid()
        pose(self.bugs, self.seed, np.uint64(self.tick), self._after)
        self._before[:] = self._after

    def _lay_grid(self) -> None:
        margin = float(self.world["size_max"][0])
        largest = float(self.bugs["base_size"].max()) if self.bugs.size else margin
        self._edge = max(margin, largest) * PERSONAL_SPACE + LONGEST_STEP_PX
        self._columns = max(1, math.ceil((float(self.world["width"][0]) + 2 * margin) / self._edge))
        self._rows = max(1, math.ceil((float(self.world["height"][0]) + 2 * margin) / self._edge))
        self._starts = np.zeros(self._columns * self._rows + 2, np.int64)
