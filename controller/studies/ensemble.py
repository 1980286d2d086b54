"""A scene without a screen, many times over: the ensemble form of the swarm cases, or its measures."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from controller.behavior.gait import RUN, STOP, TUMBLE
from controller.light import on_screen
from controller.scenes import Scene, open_scene
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.stepper import TICKS_PER_S

MOST_FRAMES = 10_000_000
SAMPLE_EVERY = 30
SPREAD_EVERY = 150
RADIAL_BIN_PX = 20
RADIAL_BINS = 40
Progress = Callable[[int], None]
Numbers = npt.NDArray[np.float64]
SERIES = ("inside", "reacted", "bored", "meanInterest", "run", "stop", "tumble", "meanSpeed")


class ScheduleError(ValueError):
    """Not of the form {"frames": N, "light": [[frame, on, x, y], ...]}; the message says where."""


def _zero_or_one(value: object) -> int:
    if isinstance(value, int) and value in (0, 1):
        return int(value)
    raise ValueError("on must be 0, 1, true or false")


Frame = Annotated[int, Field(ge=0, le=MOST_FRAMES)]
ZeroOrOne = Annotated[int, PlainValidator(_zero_or_one)]


class Schedule(BaseModel):
    """The light of each frame: a row (frame, on, x px, y px) holds from its frame, counted from 1."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    schedule: str = ""
    frames: int = Field(ge=1, le=MOST_FRAMES)
    light: list[tuple[Frame, ZeroOrOne, float, float]] = Field(min_length=1)


def read_schedule(path: Path) -> Schedule:
    """The schedule of a JSON file, named after the file where it does not name itself.

    Raises ScheduleError, or OSError when the file cannot be read.
    """
    try:
        found = Schedule.model_validate_json(path.read_bytes())
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(str(part) for part in fault["loc"])
        words = fault["msg"].removeprefix("Value error, ")
        raise ScheduleError(f"{place}: {words}" if place else words) from error
    return found.model_copy(update={"schedule": found.schedule or path.stem})


def light_by_frame(schedule: Schedule, size: tuple[int, int]) -> Numbers:
    """The light (on, x, y) of each frame, float64 (frames, 3); before the first row it is off.

    A light that goes off beside the screen does so where it last was on it, at first in the middle.
    Raises ScheduleError for rows out of order and for a light that is on beside the screen.
    """
    rows = np.array(schedule.light, np.float64)
    seen = size[0] / 2, size[1] / 2
    for number, (frame, on, x, y) in enumerate(schedule.light):
        if on_screen(x, y, *size):
            seen = x, y
        elif on:
            raise ScheduleError(f"light.{number}: its place must be on {size[0]} x {size[1]} px")
        if number and frame <= schedule.light[number - 1][0]:
            raise ScheduleError(f"light.{number}: the rows must stand in order of their frames")
        rows[number, 2:] = seen
    holds = np.searchsorted(rows[:, 0], np.arange(1, schedule.frames + 1), side="right") - 1
    light = rows[np.maximum(holds, 0), 1:]
    light[holds < 0, 0] = 0.0
    return light


def nearest_distances(x: Numbers, y: Numbers) -> Numbers:
    """Each agent's distance to its nearest other, px (n,); inf where there is no other.

    In the order of x, for in it one looks only as far as a nearer one may still be.
    """
    order = np.argsort(x)
    nearest = np.full(x.size, np.inf)
    _look_ahead(x[order], y[order], nearest)
    _look_ahead(x[order[::-1]], y[order[::-1]], nearest[::-1])
    found = np.empty(x.size)
    found[order] = nearest
    return found


def _look_ahead(x: Numbers, y: Numbers, nearest: Numbers) -> None:
    """Shorten `nearest` to the nearest of those that come later; x goes one way."""
    looking = np.arange(x.size)
    for ahead in range(1, x.size):
        looking = looking[looking + ahead < x.size]
        dx = x[looking + ahead] - x[looking]
        still = np.abs(dx) < nearest[looking]
        looking, dx = looking[still], dx[still]
        if not looking.size:
            return
        apart = np.hypot(dx, y[looking + ahead] - y[looking])
        nearest[looking] = np.minimum(nearest[looking], apart)


class _Swarm:
    """One run of `baited` and its series, in the ensemble form."""

    def __init__(self, settings: BaitedSettings, size: tuple[int, int], seed: int) -> None:
        self.scene = scene = BaitedScene(settings, size, seed)
        self.series: dict[str, list[Any]] = {name: [] for name in (*SERIES, "nn", "radial")}
        self.first_inside = np.full(scene.bugs.size, -1)
        self.first_bored = np.full(scene.bugs.size, -1)

    def step(self, frame: int, on: bool, x: float, y: float) -> None:
        self.scene.advance(on, x, y)
        bugs = self.scene.bugs
        away = np.hypot(bugs["x"] - x, bugs["y"] - y)
        inside = away < self.scene.settings.light_radius_px
        if on:
            self.first_inside[inside & (self.first_inside < 0)] = frame
        self.first_bored[self.scene.bored() & (self.first_bored < 0)] = frame
        if frame % SAMPLE_EVERY == 0:
            self._sample(inside)
        if frame % SPREAD_EVERY == 0:
            self._sample_spread(away)

    def _sample(self, inside: npt.NDArray[np.bool_]) -> None:
        bugs = self.scene.bugs
        values: tuple[float, ...] = (
            int(inside.sum()),
            int(bugs["reacted"].sum()),
            int(self.scene.bored().sum()),
            float(bugs["interest"].mean()) if bugs.size else 0.0,
            *(int((bugs["gait"] == gait).sum()) for gait in (RUN, STOP, TUMBLE)),
            float(bugs["speed"].mean()) if bugs.size else 0.0,
        )
        for name, value in zip(SERIES, values, strict=True):
            self.series[name].append(value)

    def _sample_spread(self, away: Numbers) -> None:
        bugs = self.scene.bugs
        crowd = bugs.size > 1
        self.series["nn"].append(float(nearest_distances(bugs["x"], bugs["y"]).mean()) if crowd else 0.0)
        counts = np.bincount((away // RADIAL_BIN_PX).astype(int), minlength=RADIAL_BINS)
        self.series["radial"].append(counts[:RADIAL_BINS].tolist())

    def result(self) -> dict[str, Any]:
        return {
            **self.series,
            "firstInsideFrame": self.first_inside.tolist(),
            "firstBoredFrame": self.first_bored.tolist(),
        }


class _Measured:
    """One run of any scene and the series of its measures; a visit begins whenever the light comes on."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.series: dict[str, list[float | None]] = {name: [] for name in scene.measures()}
        self._samples = 0
        self._lit = False

    def step(self, frame: int, on: bool, x: float, y: float) -> None:
        if on and not self._lit:
            self.scene.begin_visit()
        self._lit = on
        self.scene.step(on, x, y)
        if frame % SAMPLE_EVERY == 0:
            self._sample(self.scene.measures())

    def _sample(self, measures: dict[str, float]) -> None:
        """A value for each series, None where there is none now or, as in JSON, no finite one."""
        for name in measures:
            self.series.setdefault(name, [None] * self._samples)
        for name, values in self.series.items():
            value = measures.get(name, math.nan)
            values.append(float(value) if math.isfinite(value) else None)
        self._samples += 1

    def result(self) -> dict[str, Any]:
        return dict(self.series)


def _begin(name: str, settings: BaseModel, size: tuple[int, int], seed: int) -> _Swarm | _Measured:
    if isinstance(settings, BaitedSettings):
        return _Swarm(settings, size, seed)
    return _Measured(open_scene(name, settings, size, seed))


def _run(run: _Swarm | _Measured, light: Numbers, progress: Progress) -> dict[str, Any]:
    """`run` over `light`, (frames, 3) of on, x, y; its series."""
    for first in range(0, len(light), TICKS_PER_S):
        frames = light[first : first + TICKS_PER_S].tolist()
        for frame, (on, x, y) in enumerate(frames, first + 1):
            run.step(frame, on != 0, x, y)
        progress(len(frames))
    return run.result()


def simulate(
    name: str,
    settings: BaseModel,
    schedule: Schedule,
    size: tuple[int, int],
    runs: int,
    seed: int,
    progress: Progress = lambda frames: None,
) -> dict[str, Any]:
    """`runs` independent runs of the scene `name` with seeds seed, seed + 1, ...

    settings: the scene's section. For `baited` the form of `ensemble-*.json`; for others the same
    around series of their measures. `progress` is told how many frames more
    were simulated, once a second of the scene's time.
    """
    light = light_by_frame(schedule, size)
    facts = {"schedule": schedule.schedule, "scene": name, "width": size[0], "height": size[1]}
    facts |= {"frames": len(light), "every": SAMPLE_EVERY, "seed": seed}
    if isinstance(settings, BaitedSettings):
        facts |= {"bugs": settings.bugs, "radius": settings.light_radius_px, "radialBinPx": RADIAL_BIN_PX}
    return {
        **facts,
        "runs": [_run(_begin(name, settings, size, seed + k), light, progress) for k in range(runs)],
    }
