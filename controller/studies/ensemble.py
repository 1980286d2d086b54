"""A scene without a screen, many times over: the ensemble form of the swarm cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from controller.behavior.gait import RUN, STOP, TUMBLE
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings

SAMPLE_EVERY = 30
SPREAD_EVERY = 150
RADIAL_BIN_PX = 20
RADIAL_BINS = 40
SERIES = ("inside", "reacted", "bored", "meanInterest", "run", "stop", "tumble", "meanSpeed")


class ScheduleError(ValueError):
    """The schedule file does not have the form {"frames": N, "light": [[frame, on, x, y], ...]}."""


def read_schedule(path: Path) -> dict[str, Any]:
    """The schedule of a JSON file, named after the file where it names itself not.

    Raises ScheduleError when it is no JSON object, OSError when it cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ScheduleError(f"not JSON: {error}") from error
    if not isinstance(found, dict):
        raise ScheduleError("a schedule is an object with frames and light")
    return {"schedule": path.stem, **found}


def light_by_frame(schedule: Mapping[str, Any]) -> npt.NDArray[np.float64]:
    """The light (on, x, y) of each frame, float64 (frames, 3); a row holds until the next one.

    Frames are counted from 1. Before the first row the light is off at that row's place.
    Raises ScheduleError naming what is wrong.
    """
    try:
        frames = int(schedule["frames"])
        rows = np.asarray(schedule["light"], np.float64).reshape(-1, 4)
    except (KeyError, TypeError, ValueError) as error:
        raise ScheduleError(f"a schedule needs frames and light rows of frame, on, x, y: {error}") from error
    if frames < 1 or not len(rows) or not np.isfinite(rows).all():
        raise ScheduleError("a schedule needs at least one frame and one light row, all finite")
    if (np.diff(rows[:, 0]) <= 0).any():
        raise ScheduleError("the light rows must stand in order of their frames")
    holds = np.searchsorted(rows[:, 0], np.arange(1, frames + 1), side="right") - 1
    light = rows[np.maximum(holds, 0), 1:].copy()
    light[holds < 0, 0] = 0.0
    return light


def nearest_distances(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Each agent's distance to its nearest other, px (n,)."""
    apart = np.hypot(x[:, None] - x, y[:, None] - y)
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1))


class _Record:
    """The series of one run while it grows."""

    def __init__(self, scene: BaitedScene) -> None:
        self.scene = scene
        self.series: dict[str, list[Any]] = {name: [] for name in (*SERIES, "nn", "radial")}
        self.first_inside = np.full(scene.bugs.size, -1)
        self.first_bored = np.full(scene.bugs.size, -1)

    def note(self, frame: int, on: bool, x: float, y: float) -> None:
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

    def _sample_spread(self, away: npt.NDArray[np.float64]) -> None:
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


def run_once(
    settings: BaitedSettings, size: tuple[int, int], seed: int, light: npt.NDArray[np.float64]
) -> dict[str, Any]:
    """One run over `light` (frames, 3) of on, x, y; the series of the ensemble form."""
    scene = BaitedScene(settings, size, seed)
    record = _Record(scene)
    for frame, (on, x, y) in enumerate(light.tolist(), 1):
        scene.advance(on != 0, x, y)
        record.note(frame, on != 0, x, y)
    return record.result()


def simulate(
    settings: BaitedSettings,
    schedule: Mapping[str, Any],
    size: tuple[int, int],
    runs: int,
    seed: int,
    progress: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """`runs` independent runs with seeds seed, seed + 1, ...; the form of `ensemble-*.json`."""
    light = light_by_frame(schedule)
    results = []
    for k in range(runs):
        results.append(run_once(settings, size, seed + k, light))
        progress()
    return {
        "schedule": str(schedule.get("schedule", "")),
        "width": size[0],
        "height": size[1],
        "frames": len(light),
        "every": SAMPLE_EVERY,
        "bugs": settings.bugs,
        "radius": settings.light_radius_px,
        "radialBinPx": RADIAL_BIN_PX,
        "seed": seed,
        "runs": results,
    }
