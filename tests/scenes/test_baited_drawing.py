"""How the bugs' state is drawn, against the original's own drawn values, and between two ticks."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from controller.scenes.baited.bugs import BUG, world_of
from controller.scenes.baited.drawing import ALPHA, ANGLE, JITTER, POSE_FIELDS, SIZE, interpolate, pose
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings

WORLD = world_of(BaitedSettings(), (1280, 720))
GAITS = {"run": 0, "stop": 1, "tumble": 2}
JITTER_LIMIT_RAD = {0: 0.0, 1: 0.25, 2: 0.12}
PLAIN = ("heading", "interest", "base_size", "speed", "tremor_phase", "leg_phase")


def states(cases: Path) -> list[dict[str, Any]]:
    """Every stored state whose bugs carry what the drawing needs."""
    found = [
        json.loads(path.read_text(encoding="utf-8")) for path in (cases / "reference-look").glob("*.json")
    ]
    return [state for state in found if state["bugs"] and "tremor_phase" in state["bugs"][0]]


def bugs_of(state: dict[str, Any]) -> npt.NDArray[np.void]:
    bugs = np.zeros(len(state["bugs"]), BUG)
    for bug, told in zip(bugs, state["bugs"], strict=True):
        for name in PLAIN:
            bug[name] = told[name]
        bug["gait"] = GAITS[told["state"]]
    return bugs


def test_look_of_every_bug_is_the_originals_but_for_its_jitter(cases: Path) -> None:
    """Size, opacity and the turn of runners agree within 1e-9; the others stay within their jitter."""
    assert states(cases)
    for state in states(cases):
        bugs = bugs_of(state)
        poses = np.empty((bugs.size, POSE_FIELDS))
        world = WORLD.copy()
        world["pulse_phase"] = 0.03 * state["frame_count"] % math.tau
        pose(bugs, world, np.uint64(1), np.uint64(state["frame_count"]), poses)
        for row, bug, told in zip(poses, bugs, state["bugs"], strict=True):
            drawn = told["drawn"]
            assert abs(row[SIZE] - drawn["size"]) < 1e-9
            assert abs(row[ALPHA] * 255 - drawn["alpha255"]) < 1e-9
            limit = JITTER_LIMIT_RAD[int(bug["gait"])]
            assert abs(math.remainder(row[ANGLE] - drawn["rot"], 2 * math.pi)) <= limit + 1e-9
            assert abs(row[JITTER]) <= limit


def test_jitter_is_drawn_anew_each_tick_for_the_share_of_ticks_that_the_original_has() -> None:
    """A stopped bug twitches in 15 % of the ticks, a tumbling one in all, a runner in none."""
    bugs = np.zeros(3, BUG)
    bugs["gait"] = [0, 1, 2]
    poses = np.empty((3, POSE_FIELDS))
    seen = np.empty((20_000, 3))
    for tick in range(len(seen)):
        pose(bugs, WORLD, np.uint64(9), np.uint64(tick), poses)
        seen[tick] = poses[:, JITTER]
    assert (seen[:, 0] == 0).all()
    assert abs((seen[:, 1] != 0).mean() - 0.15) < 0.01
    assert (seen[:, 2] != 0).all()
    for column, limit in ((1, 0.25), (2, 0.12)):
        moved = seen[seen[:, column] != 0, column]
        assert abs(moved.mean()) < 0.05 * limit
        assert np.abs(moved).max() > 0.98 * limit


def between(before: list[float], after: list[float], alpha: float) -> npt.NDArray[np.float32]:
    rows = np.empty((1, 5), np.float32)
    interpolate(np.array([before]), np.array([after]), alpha, 640.0, 480.0, rows)
    return rows[0]


def test_pictures_between_two_ticks_take_the_straight_way_and_the_shorter_turn() -> None:
    row = between([100, 50, 3.0, 16, 0.5, 0], [104, 52, -3.0, 18, 0.9, 0], 0.5)
    assert row[:2].tolist() == [102, 51]
    assert abs(math.remainder(float(row[2]) - math.pi, 2 * math.pi)) < 1e-6
    assert row[3] == 17
    assert abs(row[4] - 0.7) < 1e-6


def test_a_bug_that_came_round_the_edge_is_not_drawn_on_its_way_across() -> None:
    row = between([655, 50, 0.0, 16, 1.0, 0], [-15, 50, 0.0, 16, 1.0, 0], 0.25)
    assert row[0] == -15


def test_the_beam_is_dark_without_a_light_and_the_dust_stays_within_its_reach() -> None:
    scene = BaitedScene(BaitedSettings(bugs=5), (640, 480), 1)
    scene.step(False, 100.0, 100.0)
    _, beam, dust = scene.frame(1.0)
    assert beam[3] == 0
    assert len(dust) == 0
    places = []
    for _ in range(500):
        scene.step(True, 300.0, 200.0)
        _, beam, dust = scene.frame(1.0)
        places.append(dust.copy())
    assert beam == (300.0, 200.0, 220.0, 1.0)
    grains = np.concatenate(places)
    away = np.hypot(grains[:, 0] - 300, grains[:, 1] - 200)
    assert away.max() <= 1.2 * 220 + 1e-3
    assert abs(np.median(away) / (1.2 * 220) - math.sqrt(0.5)) < 0.02
    assert grains[:, 2].min() >= 1.5
    assert grains[:, 2].max() <= 4.0
    assert not np.array_equal(places[0], places[1])
