"""The swarm as a whole: repeatable, restorable, changeable while it runs, untouched by pictures."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from pydantic import ValidationError

from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings

SIZE = (1280, 720)


def light(tick: int) -> tuple[bool, float, float]:
    return tick % 500 > 120, 300.0 + tick % 700, 200.0 + tick % 300


def run(scene: BaitedScene, first: int, last: int) -> BaitedScene:
    for tick in range(first, last):
        scene.step(*light(tick))
    return scene


def digest(scene: BaitedScene) -> str:
    return hashlib.sha256(scene.frame(0.5)[0].tobytes() + scene.bugs.tobytes()).hexdigest()


def test_individual_differences_are_those_of_the_original() -> None:
    """15 % eager, 12.75 % sluggish, the rest between, over 40,000 bugs."""
    bugs = BaitedScene(BaitedSettings(bugs=40_000), SIZE, 5).bugs
    pace = bugs["approach_multiple"]
    assert abs((pace >= 1.2).mean() - 0.15) < 0.006
    assert abs((pace < 0.7).mean() - 0.1275) < 0.006
    ranges = {
        "base_speed": (1.8, 4.5),
        "base_size": (14, 24),
        "turn_rate": (0.03, 0.08),
        "fixation_angle": (np.radians(10), np.radians(40)),
        "antenna_spread": (6, 14),
        "tropotaxis_gain": (0.02, 0.06),
        "detection_multiple": (1.5, 4.0),
        "reaction_delay": (0, 299),
        "decay_rate": (0.0004, 0.0012),
        "levy_mu": (1.8, 2.2),
        "milling_speed": (0.008, 0.03),
        "x": (0, SIZE[0]),
        "y": (0, SIZE[1]),
    }
    for name, (low, high) in ranges.items():
        values = bugs[name].astype(float)
        assert low <= values.min() < low + 0.01 * (high - low) + 1e-9, name
        assert high - 0.01 * (high - low) - 1e-9 < values.max() <= high, name
        assert abs(values.mean() - (low + high) / 2) < 0.01 * (high - low), name
    assert abs((bugs["handedness"] > 0).mean() - 0.5) < 0.01


def test_settings_change_while_it_runs_without_a_jump_of_the_bugs_that_stay() -> None:
    scene = run(BaitedScene(BaitedSettings(), SIZE, 7), 0, 300)
    before = scene.bugs[["x", "y", "heading"]].copy()
    for count in (400, 0, 250, 1):
        scene.configure("bugs", count)
        assert scene.measures()["bugs"] == count
        scene.frame(0.5)
        scene.step(True, 640.0, 360.0)
    scene = run(BaitedScene(BaitedSettings(), SIZE, 7), 0, 300)
    scene.configure("bugs", 400)
    scene.configure("light_radius_px", 90)
    assert (scene.bugs[["x", "y", "heading"]][:250] == before).all()
    assert scene.frame(0.0)[1][2] == 90


def test_a_setting_out_of_range_or_unknown_is_refused_and_nothing_changes() -> None:
    scene = BaitedScene(BaitedSettings(bugs=3), SIZE, 1)
    with pytest.raises(ValidationError):
        scene.configure("bugs", -1)
    with pytest.raises(ValidationError):
        scene.configure("decay_min", 0.5)
    with pytest.raises((ValueError, ValidationError)):
        scene.configure("colour", 1)
    assert scene.settings == BaitedSettings(bugs=3)


def test_habituation_and_recovery_take_the_times_of_the_article() -> None:
    """In the circle throughout: 0.85 / decay ticks to boredom; in the dark 0.85 / 0.006 back."""
    scene = BaitedScene(BaitedSettings(bugs=3, boredom_threshold=0.15), SIZE, 1)
    scene.bugs["decay_rate"] = [0.0004, 0.0008, 0.0012]
    crossed = np.zeros(3, int)
    for tick in range(1, 2300):
        scene.bugs["x"], scene.bugs["y"] = 640.0, 360.0
        scene.advance(True, 640.0, 360.0)
        crossed[(crossed == 0) & scene.bored()] = tick
    assert np.abs(crossed / 60 - [35.4, 17.7, 11.8]).max() < 0.05
    scene.bugs["interest"] = 0.15
    ticks = 0
    while (scene.bugs["interest"] < 1.0).any():
        scene.advance(False, 640.0, 360.0)
        ticks += 1
    assert ticks == 142


def test_importing_a_scene_loads_no_window_camera_or_database() -> None:
    script = (
        "import sys, controller.scenes.baited.scene\n"
        "print([name for name in ('pyglet', 'cv2', 'sqlite3', 'pysqlite3', 'serial') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "[]"


def test_another_screen_size_keeps_every_bug_and_its_drawn_row_at_its_place_on_the_wall() -> None:
    scene = run(BaitedScene(BaitedSettings(), SIZE, 7), 0, 400)
    shares = scene.frame(0.5)[0][:, :2] / SIZE
    scene.resize((1920, 1440))
    assert scene.frame(0.5)[0][:, :2] / (1920, 1440) == pytest.approx(shares, abs=1e-4)
    scene.step(True, 700.0, 500.0)
    moved_px = np.hypot(*(scene.frame(1.0)[0][:, :2] - shares * (1920, 1440)).T)
    # The fastest step, and half of the one before that was under way.
    assert np.percentile(moved_px, 99) < 12
    assert scene.size == (1920, 1440)


@pytest.mark.parametrize("size", [(640, 480), (1080, 1920), (3840, 2160)])
def test_after_another_screen_size_the_bugs_in_the_dark_walk_on_in_all_directions(
    size: tuple[int, int],
) -> None:
    """Mean of all headings 15 s later, 0 for none in common, 1 for all alike: .13 without a change."""
    scene = BaitedScene(BaitedSettings(), (1920, 1080), 7)
    for _ in range(600):
        scene.step(False, 0.0, 0.0)
    ways = scene.bugs["target_x"] - scene.bugs["x"]
    scene.resize(size)
    assert scene.bugs["target_x"] - scene.bugs["x"] == pytest.approx(ways)
    for _ in range(900):
        scene.step(False, 0.0, 0.0)
    assert abs(np.exp(1j * scene.bugs["heading"]).mean()) < 0.25
