"""The swarm at its limits: one point, no number, the edges, and screens of any size (F35, F37)."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from controller.kernelcache import OVERRIDE
from controller.scenes.baited.bugs import BUG, MOVING
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from controller.settings import all_sections, limits_of, live_settings

SIZE = (1280, 720)
MINUTE = 3600
REALS = [name for name in MOVING if BUG[name].kind == "f"]
CORNERS = [(0.0, 0.0), (1280.0, 0.0), (0.0, 720.0), (1280.0, 720.0)]


PHASES = ("tremor_phase", "leg_phase", "noise_phase")


def assert_well(scene: BaitedScene) -> None:
    """Every number of every bug is one, and every bug on the screen or its own margin."""
    bugs, margin = scene.bugs, scene.bugs["base_size"]
    assert all(np.isfinite(bugs[name]).all() for name in BUG.names)
    for name, side in zip("xy", scene.size, strict=True):
        assert (bugs[name] >= -margin).all()
        assert (bugs[name] <= side + margin).all()


@pytest.mark.parametrize("place", [(640.0, 360.0), (0.0, 0.0), (1280.0, 720.0)])
def test_all_bugs_at_one_point_with_the_light_on_it_spread_out_over_the_circle(
    place: tuple[float, float],
) -> None:
    """F35 as reported: 10,000 steps, also with all headed the same way at the same speed."""
    scene = BaitedScene(BaitedSettings(), SIZE, 7)
    scene.bugs["x"], scene.bugs["y"] = place
    scene.bugs["heading"], scene.bugs["speed"] = 0.0, 2.0
    for tick in range(10_000):
        scene.step(True, *place)
        if tick % 100 == 0:
            assert_well(scene)
            assert np.isfinite(scene.frame(0.5)[0]).all()
    assert np.unique(scene.bugs[["x", "y"]]).size == 250
    assert min(scene.bugs["x"].std(), scene.bugs["y"].std()) > 50
    assert scene.put_back == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300])
@pytest.mark.parametrize("on", [False, True])
def test_a_bug_that_is_no_longer_anywhere_is_put_back_and_counted(value: float, on: bool) -> None:
    """Each of its numbers in turn; far places come round the edge, interest is held, phases come round."""
    for name in REALS:
        scene = BaitedScene(BaitedSettings(bugs=40), SIZE, 7)
        for _ in range(20):
            scene.step(on, 640.0, 360.0)
        scene.bugs[name][7] = value
        scene.step(on, 640.0, 360.0)
        assert_well(scene)
        assert np.isfinite(scene.frame(1.0)[0]).all()
        round_again = ("x", "y", "interest", *(PHASES if math.isfinite(value) else ()))
        mended_by_its_rule = not math.isnan(value) and name in round_again
        assert scene.put_back == 1 or (mended_by_its_rule and scene.put_back == 0), name
        for _ in range(100):
            scene.step(on, 640.0, 360.0)
            assert_well(scene)
        assert scene.put_back <= 1


def test_the_count_of_those_put_back_outlives_visits_snapshots_and_a_swarm_without_a_number() -> None:
    scene = BaitedScene(BaitedSettings(), SIZE, 7)
    for name in ("x", "heading"):
        scene.bugs[name] = math.nan
        scene.step(True, 640.0, 360.0)
        scene.begin_visit()
    assert_well(scene)
    assert scene.put_back == 500
    other = BaitedScene(BaitedSettings(), SIZE, 1)
    other.restore(scene.snapshot())
    assert other.put_back == 500


@pytest.mark.parametrize(
    "place", [(math.nan, 5.0), (5.0, math.inf), (1e300, -1e300), (-1e9, 1e9), (1e17, 0.0)]
)
def test_a_light_at_an_impossible_place_loses_no_bug(place: tuple[float, float]) -> None:
    scene = BaitedScene(BaitedSettings(), SIZE, 7)
    for tick in range(900):
        scene.step(tick > 100, *place)
        assert_well(scene)
    assert np.isfinite(scene.frame(0.5)[0]).all()


@pytest.mark.parametrize("light", [None, *CORNERS])
@pytest.mark.parametrize(
    ("minutes", "bugs"), [(5, 60), pytest.param(60, 250, marks=pytest.mark.full)], ids=["5 min", "1 h"]
)
def test_every_bug_is_within_its_margin_at_all_times(
    light: tuple[float, float] | None, minutes: int, bugs: int
) -> None:
    """F37: no light, or one in a corner; all four edges are crossed, and lead to the opposite one."""
    scene = BaitedScene(BaitedSettings(bugs=bugs), SIZE, 7)
    x, y, margin = scene.bugs["x"], scene.bugs["y"], scene.bugs["base_size"]
    east, south = SIZE[0] + margin, SIZE[1] + margin
    leaps = dict.fromkeys(("west", "east", "north", "south"), 0)
    for _ in range(minutes * MINUTE):
        before_x, before_y = x.copy(), y.copy()
        scene.advance(light is not None, *(light or (0.0, 0.0)))
        assert ((x >= -margin) & (x <= east) & (y >= -margin) & (y <= south)).all()
        for (there, here), moved, side in (
            (("west", "east"), x - before_x, SIZE[0]),
            (("north", "south"), y - before_y, SIZE[1]),
        ):
            leaps[there] += np.count_nonzero(moved > side / 2)
            leaps[here] += np.count_nonzero(moved < -side / 2)
    assert min(leaps.values()) > 5, leaps


@pytest.mark.parametrize(
    "size", [(0, 0), (0, 480), (640, 0), (1, 1), (1, 1080), (16384, 1), (16384, 16384), (7680, 4320)]
)
def test_a_screen_of_any_size_keeps_every_bug(size: tuple[int, int]) -> None:
    """From nothing to the largest texture of today, with the light in its middle and in its corner."""
    scene = BaitedScene(BaitedSettings(), size, 7)
    for tick in range(600):
        where = (size[0] / 2, size[1] / 2) if tick < 400 else (0.0, 0.0)
        scene.step(tick % 200 > 100, *where)
        assert_well(scene)
        rows, _, dust = scene.frame(0.5)
        assert np.isfinite(rows).all()
        assert np.isfinite(dust).all()
    assert scene.put_back == 0


@pytest.mark.parametrize("size", [(1, 1), (1, 1080), (16384, 1), (16384, 16384)])
def test_a_screen_that_becomes_any_size_and_is_as_before_keeps_every_bug_and_its_light(
    size: tuple[int, int],
) -> None:
    scene = BaitedScene(BaitedSettings(), SIZE, 7)
    for there in (size, SIZE, size, (640, 480)):
        scene.resize(there)
        for tick in range(60):
            scene.step(tick % 20 > 10, *(side / 3 for side in there))
            assert_well(scene)
            assert np.isfinite(scene.frame(0.5)[0]).all()
    assert scene.put_back == 0


@pytest.mark.parametrize("bugs", [0, 1, 2])
def test_hardly_any_bugs_are_a_swarm_too(bugs: int) -> None:
    scene = BaitedScene(BaitedSettings(bugs=bugs), SIZE, 7)
    for tick in range(600):
        scene.step(tick > 100, 640.0, 360.0)
        assert scene.frame(0.5)[0].shape == (bugs, 5)
    assert_well(scene)
    assert scene.measures()["bugs"] == bugs


def any_value(chance: random.Random, full_name: str) -> float:
    """The least, the largest or any value of a setting of the scene; few bugs, for the time it takes."""
    section, _, key = full_name.rpartition(".")
    model = dict(all_sections())[section]
    low, high = limits_of(model, key)
    assert low is not None
    assert high is not None
    value = chance.choice([low, high, chance.uniform(low, high)])
    if key == "bugs":
        return chance.choice([0, 1, 2, 250, 600])
    return int(value) if model.model_fields[key].annotation is int else value


@pytest.mark.parametrize("seed", range(4))
def test_whatever_the_settings_and_the_screen_become_every_bug_is_kept(seed: int) -> None:
    """150 changes in a row, four ticks apart, to the least, the largest or any value."""
    chance, scene = random.Random(seed), BaitedScene(BaitedSettings(), SIZE, seed)
    names = [name for name in live_settings() if name.startswith("baited.")]
    changed = 0
    for _ in range(150):
        if chance.random() < 0.15:
            scene.resize((chance.choice([1, 640, 7680, 16384]), chance.choice([1, 480, 4320])))
        name = chance.choice(names)
        try:
            scene.configure(name.removeprefix("baited."), any_value(chance, name))
            changed += 1
        except ValueError:
            pass  # the lower one of a pair above the upper one: refused, and nothing has changed
        for _ in range(4):
            scene.step(chance.random() < 0.7, *(chance.uniform(0, side) for side in scene.size))
            assert_well(scene)
            assert np.isfinite(scene.frame(chance.random())[0]).all()
    assert changed > 75
    assert scene.put_back == 0


@pytest.mark.full
def test_no_rule_reads_or_writes_outside_of_an_array(checkout: Path, tmp_path: Path) -> None:
    """All of the above in kernels compiled so that each index is checked."""
    env = {**os.environ, OVERRIDE: str(tmp_path), "PYTHONPATH": str(checkout), "NUMBA_BOUNDSCHECK": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__))]
    done = subprocess.run(command, cwd=checkout, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
