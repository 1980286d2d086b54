"""A visit's measures against a visitor who counts from outside, and bugs that are put back."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from controller.scenes.baited.bugs import BUG, MOVING
from controller.scenes.baited.scene import BaitedScene
from controller.scenes.baited.settings import BaitedSettings
from tests.behavior.pairs import JIT_OFF, fewer, values
from tests.scenes import naive_scenes as scenes
from tests.scenes.naive_visit import Observer

SIZE = (900, 600)
MIDDLE = (450.0, 300.0)
TICKS = 60 if JIT_OFF else 400
# Habituation at 25 times the article's speed, so that bugs grow bored within a second or two.
QUICK = {"decay_min": 0.01, "decay_max": 0.03}
LIGHTS: dict[str, Callable[[int], tuple[bool, float, float]]] = {
    "steady": lambda tick: (True, *MIDDLE),
    "late": lambda tick: (tick >= 30, *MIDDLE),
    "none": lambda tick: (False, *MIDDLE),
    "flicker": lambda tick: (tick % 2 == 0, *MIDDLE),
    "slow flicker": lambda tick: (tick % 70 < 50, *MIDDLE),
    "once": lambda tick: (10 <= tick < 200, *MIDDLE),
    "moving": lambda tick: (tick % 150 < 130, 100.0 + 2 * tick, 300.0 + 200 * math.sin(tick / 30)),
    "outside": lambda tick: (True, -5000.0, -5000.0),
}


def opened(number: int = 60, **changed: float) -> BaitedScene:
    settings = BaitedSettings.model_validate({"bugs": number, **QUICK, **changed})
    return scenes.BaitedScene(settings, SIZE, seed=3)


def watch(scene: BaitedScene, light: Callable[[int], tuple[bool, float, float]], begins: int = -1) -> None:
    """Compare every measure after every tick; a visit begins at tick `begins`."""
    observer = Observer(scene)
    for tick in range(TICKS):
        if tick == begins:
            scene.begin_visit()
            observer.begin_visit()
        observer.step(*light(tick))
        assert scene.measures() == pytest.approx(observer.measures(), abs=1e-9), f"tick {tick}"


@pytest.mark.parametrize("light", LIGHTS)
@pytest.mark.parametrize("begins", [-1, 40])
def test_a_visits_measures_are_those_of_a_visitor_who_counts(light: str, begins: int) -> None:
    watch(opened(fewer(40)), LIGHTS[light], begins)


@pytest.mark.parametrize("number", [0, 1, 2, 3])
@pytest.mark.parametrize("light", ["slow flicker", "none"])
def test_a_visits_measures_with_few_bugs_or_none(number: int, light: str) -> None:
    watch(opened(number, light_radius_px=400.0), LIGHTS[light], begins=20)


@pytest.mark.parametrize("threshold", [0.0, 0.01, 0.15, 0.6, 1.0])
def test_bugs_that_were_bored_before_do_not_count_as_grown_bored(threshold: float) -> None:
    """Some have no interest left, some as much as the threshold, some a little more."""
    scene = opened(fewer(40), boredom_threshold=threshold, onset_gain=0.0)
    left = np.array([0.0, 0.5 * threshold, threshold, min(1.0, threshold + 0.05), 1.0])
    scene.bugs["interest"] = left[np.arange(scene.bugs.size) % left.size]
    watch(scene, LIGHTS["steady"])


def test_a_visit_of_the_articles_times_is_measured_as_it_is_seen() -> None:
    """In the circle throughout: bored after 11.8 and 35.4 s at the article's slowest and fastest."""
    scene = opened(2, decay_min=0.0004, decay_max=0.0012)
    scene.bugs["decay_rate"], scene.bugs["reaction_delay"] = [0.0012, 0.0004], 0
    for _ in range(fewer(2200)):
        scene.bugs["x"], scene.bugs["y"] = MIDDLE
        scene.advance(True, *MIDDLE)
    found = scene.measures()
    assert found["reached"] == 2
    assert found["first_reached_s"] == found["half_reached_s"] == 0.0
    assert found["exposure_bug_s"] == pytest.approx(2 * fewer(2200) / 60)
    if not JIT_OFF:
        assert found["first_grew_bored_s"] == pytest.approx(11.8, abs=0.02)
        assert found["grew_bored"] == 2
        assert found["mean_interest_at_off"] == pytest.approx((0 + 1 - 2200 * 0.0004) / 2, abs=1e-9)


FLOATS = [name for name in MOVING if BUG[name].kind == "f"]
BROKEN = 7
# An endless place is off the screen: such a bug may come in at the other edge, as any that leaves.
WAYS = [
    (field, value)
    for field in FLOATS
    for value in (math.nan, math.inf, -math.inf)
    if math.isnan(value) or field not in ("x", "y")
]


@pytest.mark.parametrize(("field", "value"), WAYS[:: 3 if JIT_OFF else 1])
def test_a_bug_that_is_no_number_is_put_back_counted_and_no_other_is_touched(
    field: str, value: float
) -> None:
    """A searching runner near no other; the light is on, far off, and has been noticed by none."""
    scene, sound = opened(20), opened(20)
    for each in (scene, sound):
        each.bugs["x"], each.bugs["y"] = np.arange(20) * 40.0 + 20.0, 300.0
        each.bugs["reaction_delay"] = each.bugs["gait_timer"] = 100
        each.advance(True, 5000.0, 5000.0)
    scene.bugs[field][BROKEN] = value
    with np.errstate(invalid="ignore"):
        for each in (scene, sound):
            each.advance(True, 5000.0, 5000.0)
    assert (scene.put_back, sound.put_back) == (1, 0)
    assert all(np.isfinite(scene.bugs[name]).all() for name in FLOATS)
    others = np.arange(20) != BROKEN
    assert (scene.bugs[others] == sound.bugs[others]).all()
    made = opened(20).bugs[BROKEN]
    assert values(scene.bugs[BROKEN]) == values(made)
    assert scene.measures()["reached"] == 0
    for _ in range(fewer(30)):
        scene.step(True, *MIDDLE)
        assert np.isfinite(scene.frame(0.5)[0]).all()
    assert scene.put_back == 1


@pytest.mark.parametrize("field", ["x", "y"])
@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_a_bug_that_is_endlessly_far_away_is_back_on_the_screen_or_its_margin(
    field: str, value: float
) -> None:
    scene = opened(20)
    scene.bugs[field][BROKEN] = value
    with np.errstate(invalid="ignore"):
        scene.step(True, *MIDDLE)
    for name, size in zip("xy", SIZE, strict=True):
        assert -24.0 <= scene.bugs[name][BROKEN] <= size + 24.0
    assert all(np.isfinite(scene.bugs[name]).all() for name in FLOATS)
    assert np.isfinite(scene.frame(0.5)[0]).all()


def test_many_broken_bugs_are_all_put_back() -> None:
    scene = opened(50)
    scene.bugs["x"][::2], scene.bugs["heading"][1::2] = math.nan, math.inf
    with np.errstate(invalid="ignore"):
        scene.step(False, *MIDDLE)
    assert scene.put_back == 50
    assert np.isfinite(scene.frame(0.5)[0]).all()
    scene.begin_visit()
    scene.step(True, *MIDDLE)
    assert scene.put_back == 50
