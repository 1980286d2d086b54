"""The scene `baited`: 250 bugs, a light that they gather at, grow bored of and leave."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib import recfunctions
from pydantic import BaseModel

from controller.behavior.smooth_noise import levels_of
from controller.scenes import Beam, Rows
from controller.scenes.baited.bugs import (
    BUG,
    MOVING,
    fastest_px,
    fill_in,
    hatch,
    no_draws,
    world_of,
)
from controller.scenes.baited.constants_life import Character
from controller.scenes.baited.drawing import POSE_FIELDS, X, Y, interpolate, pose, scatter_dust
from controller.scenes.baited.kernel import step
from controller.scenes.baited.saved import Saved, read_saved, write_saved
from controller.scenes.baited.settings import BaitedSettings
from controller.scenes.baited.visit import VISIT, begin, measures_of

KERNELS = (step, hatch, pose, interpolate, scatter_dust)
DUST_GRAINS = 40
DUST_REACH = 1.2
# More cells than this for a bug cost more to count through than they save.
CELLS_FOR_A_BUG, FEWEST_CELLS = 16, 4096
# By these a bug is made; they change it for life.
_MAKING = {
    *Character.model_fields,
    *("decay_min", "decay_max", "reaction_delay_max_ticks", "size_min_px", "size_max_px"),
}
_DARK = np.empty((0, 4), np.float32)


def open_scene(settings: BaitedSettings, size: tuple[int, int], seed: int) -> BaitedScene:
    """The registry's way in."""
    return BaitedScene(settings, size, seed)


class BaitedScene:
    """The swarm's arrays and the order in which its kernels touch them.

    `settings` are copied; `size` is the screen in px; `seed` an integer >= 0. Knows no time,
    file, window or device: equal calls give equal rows. `grid` is the scratch of the kernel; a way
    longer than `far_px` along x or y in one tick leads round the edge.
    """

    _before: npt.NDArray[np.float64]
    _after: npt.NDArray[np.float64]
    _dust: Rows

    def __init__(self, settings: BaitedSettings, size: tuple[int, int], seed: int) -> None:
        self.settings = settings.model_copy(deep=True)
        self.seed = np.uint64(seed)
        self.tick = 0
        self.world = world_of(self.settings, size)
        self.levels = levels_of(int(self.seed))
        self.draws = no_draws()
        self.visit = np.zeros(1, VISIT)
        self.bugs = self._made(self.settings.bugs)
        self._dust = np.zeros((DUST_GRAINS, 4), np.float32)
        self._allocate()

    @property
    def size(self) -> tuple[int, int]:
        """The screen in px."""
        return int(self.world["width"][0]), int(self.world["height"][0])

    @property
    def put_back(self) -> int:
        """How many bugs were no longer at a place that is a number, and were made anew."""
        return int(self.visit["put_back"][0])

    def step(self, on: bool, x: float, y: float) -> None:
        """One tick with the light at (x, y) px, and how the bugs look after it.

        A position that is not finite leaves the light where it was.
        """
        self.advance(on, x, y)
        self._before, self._after = self._after, self._before
        tick = np.uint64(self.tick)
        pose(self.bugs, self.world, self.seed, tick, self._after)
        if self.world["on"][0]:
            light = self.world[0]
            reach = light["light_radius_px"] * DUST_REACH
            scatter_dust(self.seed, tick, light["light_x"], light["light_y"], reach, self._dust)

    def advance(self, on: bool, x: float, y: float) -> None:
        """One tick of behaviour, nothing drawn."""
        was_on = bool(self.world["on"][0])
        just_on = bool(on) and not was_on
        if was_on and not on:
            self.visit["interest_at_off"] = self._mean_interest()
        self.world["on"] = bool(on)
        if math.isfinite(x) and math.isfinite(y):
            self.world["light_x"], self.world["light_y"] = x, y
        self.tick += 1
        tick = np.uint64(self.tick)
        step(self.bugs, self.world, self.visit, self.draws, just_on, self.seed, tick, *self.grid, self.levels)

    def frame(self, alpha: float) -> tuple[Rows, Beam, Rows]:
        """The picture `alpha` (0..1) of the way from the tick before to the last one."""
        interpolate(self._before, self._after, float(alpha), *self.far_px, self._drawn)
        light = self.world[0]
        beam = (float(light["light_x"]), float(light["light_y"]), float(light["light_radius_px"]))
        if not light["on"]:
            return self._drawn, (*beam, 0.0), _DARK
        return self._drawn, (*beam, 1.0), self._dust

    def configure(self, name: str, value: float) -> None:
        """Change one setting, `key` or `section.key`, while running; no bug that stays leaves its place.

        Raises pydantic's ValidationError for a value out of range, ValueError for an unknown name.
        """
        changed: Any = self.settings.model_copy(deep=True)
        *sections, key = name.split(".")
        section = changed
        for inner in sections:
            section = getattr(section, inner, None)
        known = key in getattr(type(section), "model_fields", ())
        if not known or isinstance(getattr(section, key), BaseModel):
            raise ValueError(f"the scene baited has no setting {name}")
        setattr(section, key, value)
        with self._draft() as draft:
            draft.settings, draft.world = changed, self.world.copy()
            fill_in(draft.world, changed)
            draft._take_bugs(self.bugs, changed.bugs, made_anew=key in _MAKING)
            draft._allocate()
            kept = min(changed.bugs, self.bugs.size)
            draft._before[:kept] = self._before[:kept]

    @contextmanager
    def _draft(self) -> Iterator[BaitedScene]:
        """A scene that shares all with this one, to be given new arrays instead of those it shares.

        It is taken over whole, or at a fault, such as too little memory, not at all: kernels must never
        meet arrays that do not fit each other.
        """
        draft = copy(self)
        yield draft
        vars(self).update(vars(draft))

    def _made(self, count: int, first: int = 0) -> npt.NDArray[np.void]:
        """Bugs as the seed and the settings of now make them, those before `first` left out."""
        bugs = np.zeros(count, BUG)
        hatch(bugs, first, self.world, self.draws, self.seed)
        return bugs

    def _take_bugs(self, others: npt.NDArray[np.void], count: int, made_anew: bool) -> None:
        """`count` bugs that go on where those of `others` are, no faster than the settings allow.

        `made_anew`: with the characters that they would have been made with under the settings of now.
        The cells depend on settings alone, so that a swarm from a snapshot sums up in the same order.
        """
        kept = min(count, others.size)
        self.bugs = self._made(count, 0 if made_anew else kept)
        for field in MOVING if made_anew else BUG.names or ():
            self.bugs[field][:kept] = others[field][:kept]
        limit = fastest_px(self.settings) * (1.0 + 1e-9)
        self.bugs["speed"] = np.minimum(self.bugs["speed"], limit)

    def resize(self, size: tuple[int, int]) -> None:
        """Another screen size, sides of 1 px at least: all keep their place on the wall."""
        with self._draft() as draft:
            draft.bugs, draft.world, draft._dust = self.bugs.copy(), self.world.copy(), self._dust.copy()
            draft._before, draft._after = self._before.copy(), self._after.copy()
            draft.world["width"], draft.world["height"] = size
            for axis, name in ((X, "x"), (Y, "y")):
                share = size[axis] / self.size[axis]
                way_px = self.bugs[name] * (share - 1.0)
                draft.bugs[name] += way_px
                # Their targets come along, or all would walk to where the old screen was.
                draft.bugs[f"target_{name}"] += way_px
                draft.world[f"light_{name}"] *= share
                for drawn in (draft._before, draft._after, draft._dust):
                    drawn[:, axis] *= share
            draft._lay_grid()

    def begin_visit(self) -> None:
        """A visit began: its measures are counted anew."""
        begin(self.visit, self.bugs)

    def measures(self) -> dict[str, float]:
        """Counts of this moment (bugs, inside the circle, bored, mean interest) and of the visit."""
        inside = float(np.count_nonzero(self.inside()))
        moment = {
            "bugs": float(self.bugs.size),
            "inside": inside,
            "bored": float(np.count_nonzero(self.bored())),
            "mean_interest": self._mean_interest(),
        }
        on = bool(self.world["on"][0])
        visit = measures_of(self.visit, self.bugs, moment["mean_interest"] if on else None)
        if on:
            # Ticks count those inside as they begin: at this moment there may be more.
            visit["peak_inside"] = max(visit["peak_inside"], inside)
        return moment | visit

    def _mean_interest(self) -> float:
        return float(self.bugs["interest"].mean()) if self.bugs.size else 0.0

    def inside(self) -> npt.NDArray[np.bool_]:
        """Which bugs are within the light's radius of its position, lit or not (n,)."""
        light = self.world[0]
        away = np.hypot(self.bugs["x"] - light["light_x"], self.bugs["y"] - light["light_y"])
        return np.asarray(away < light["light_radius_px"])

    def bored(self) -> npt.NDArray[np.bool_]:
        """Which bugs have an interest at or below the threshold (n,)."""
        return np.asarray(self.bugs["interest"] <= self.settings.boredom_threshold)

    def snapshot(self) -> bytes:
        """All that moves, for `restore` on a scene of the same settings; 152 bytes a bug."""
        light = self.world[0]
        place = (float(light["light_x"]), float(light["light_y"]))
        moving = recfunctions.repack_fields(self.bugs[list(MOVING)])
        return write_saved(
            Saved(
                int(self.seed),
                self.tick,
                place,
                self.size,
                bool(light["on"]),
                float(light["pulse_phase"]),
                self.visit,
                moving,
            )
        )

    def restore(self, saved: bytes) -> None:
        """Go on from a snapshot, under the settings of this scene but for the number of bugs.

        Raises ValueError for what is no snapshot of this version; then nothing has changed.
        """
        found = read_saved(saved)
        settings = self.settings.model_copy(deep=True)
        settings.bugs = found.moving.size
        with self._draft() as draft:
            draft.settings, draft.seed, draft.tick = settings, np.uint64(found.seed), found.tick
            draft.world, draft.levels = world_of(settings, found.size), levels_of(found.seed)
            draft.world["light_x"], draft.world["light_y"] = found.light
            draft.world["on"], draft.world["pulse_phase"] = found.on, found.pulse_phase
            draft.visit = found.visit
            draft._take_bugs(found.moving, found.moving.size, made_anew=True)
            draft._allocate()

    def _allocate(self) -> None:
        count = self.bugs.size
        self._before, self._after = np.empty((count, POSE_FIELDS)), np.empty((count, POSE_FIELDS))
        self._drawn = np.empty((count, 5), np.float32)
        self._lay_grid()
        pose(self.bugs, self.world, self.seed, np.uint64(self.tick), self._after)
        self._before[:] = self._after

    def _lay_grid(self) -> None:
        """Cells as wide as anything that can happen between two bugs in one tick."""
        count, width, height = self.bugs.size, *self.size
        margin = self.settings.size_max_px
        longest_px = fastest_px(self.settings) * self.settings.moving.pace_fastest
        fewest = math.sqrt(
            (width + 2 * margin) * (height + 2 * margin) / (CELLS_FOR_A_BUG * count + FEWEST_CELLS)
        )
        cell_px = max(margin * self.settings.moving.personal_space + longest_px, fewest)
        columns, rows = (max(1, math.ceil((side + 2 * margin) / cell_px)) for side in (width, height))
        self.world["margin_px"], self.world["cell_px"] = margin, cell_px
        self.world["columns"], self.world["rows"] = columns, rows
        places = np.zeros(count, np.int32)
        starts = np.zeros((columns + 2) * (rows + 2) + 2, np.int32)
        self.grid = (starts, places, places.copy(), np.empty(count), np.empty(count))
        # Farther in one tick, also on a screen that has just grown, is a way round the edge.
        self.far_px = (min(width / 2, 3.5 * longest_px), min(height / 2, 3.5 * longest_px))
