"""The last part of a tick: turn, step and the way round the edge, against the article's lines."""

from __future__ import annotations

import math

import numpy as np
import pytest

from controller.behavior.moving import grow_phases, grown, move, wrapped_edge
from tests.behavior.pairs import TOLERANCE, Pair, cases, fewer

BEHIND = math.pi


def moved(pair: Pair, turn: float, noise: float) -> Pair:
    move(pair.bug, pair.world, turn, noise)
    pair.twin.move(pair.plain_world, turn, noise)
    pair.assert_same()
    return pair


def test_moving_at_random_is_the_articles() -> None:
    rng = np.random.default_rng(1)
    for number in cases(1000):
        moved(Pair(number), float(rng.normal(0, 1)), float(rng.random()))


@pytest.mark.parametrize("turn", [0.0, 0.1, -0.1, 0.25, -0.25, BEHIND, -BEHIND, 100.0])
@pytest.mark.parametrize("heading", [math.pi, -math.pi, 0.0, math.pi / 2])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_a_turn_of_a_tick_is_at_most_5_turn_rates_also_across_half_a_turn(
    turn: float, heading: float, noise: float
) -> None:
    pair = moved(Pair(0, heading=heading, turn_rate=0.05), turn, noise)
    turned = math.remainder(float(pair.bug["heading"]) - heading, 2 * math.pi)
    assert turned == pytest.approx(min(max(turn, -0.25), 0.25), abs=TOLERANCE)
    assert abs(pair.bug["heading"]) <= math.pi + 1e-15


@pytest.mark.parametrize(("noise", "factor"), [(0.0, 0.91), (1.0, 0.98), (0.5, 0.945)])
def test_a_step_is_91_to_98_percent_of_the_speed(noise: float, factor: float) -> None:
    pair = moved(Pair(0, x=300.0, y=200.0, speed=4.0), 0.0, noise)
    assert math.hypot(pair.bug["x"] - 300, pair.bug["y"] - 200) == pytest.approx(4 * factor)


def test_a_stopped_bug_keeps_its_place() -> None:
    pair = moved(Pair(0, x=300.0, y=200.0, speed=0.0), 0.1, 0.5)
    assert (pair.bug["x"], pair.bug["y"]) == (300.0, 200.0)


@pytest.mark.parametrize("side", ["x", "y"])
@pytest.mark.parametrize("ahead", [True, False])
def test_a_bug_that_left_by_its_own_size_comes_in_at_the_other_edge(side: str, ahead: bool) -> None:
    """And not before: 16 px outside it stays, a little farther it is 16 px outside the other edge."""
    size_px = 1280 if side == "x" else 720
    way = (0.0 if side == "x" else math.pi / 2) + (0.0 if ahead else -math.pi)
    start, beyond = (size_px + 15.0, -16.0) if ahead else (-15.0, size_px + 16.0)
    for speed, crosses in ((0.9, False), (1.2, True)):
        there = {side: start, "heading": way, "speed": speed, "base_size": 16.0}
        pair = moved(Pair(0, **{"x": 300.0, "y": 300.0, **there}), 0.0, 1.0)
        assert (pair.bug[side] == beyond) == crosses


@pytest.mark.parametrize(
    ("at", "goes_to"),
    [(-16.0, -16.0), (-16.001, 116.0), (116.0, 116.0), (116.001, -16.0), (50.0, 50.0), (-1e9, 116.0)],
)
def test_the_edge_itself(at: float, goes_to: float) -> None:
    assert wrapped_edge(at, 100.0, 16.0) == goes_to


def test_phases_grow_as_drawing_grows_them_each_within_its_own_period() -> None:
    """The noise's argument is 0.3 of the endless tremor phase and 0.03 a tick: no jump when either wraps."""
    for number in (0, *cases(20)):
        pair = Pair(number, tremor_phase=1.0)
        world = pair.plain_world
        pair.bug["noise_phase"] = world.noise_per_tremor * 1.0 + world.noise_rate
        for tick in range(2, fewer(4000) + 2):
            grow_phases(pair.bug, pair.world)
            pair.twin.grow_phases(world)
            for name in ("tremor_phase", "leg_phase"):
                assert abs(math.remainder(pair.bug[name] - getattr(pair.twin, name), 2 * math.pi)) < 1e-8
                assert 0 <= pair.bug[name] < 2 * math.pi
            expected = world.noise_per_tremor * pair.twin.tremor_phase + world.noise_rate * tick
            assert abs(math.remainder(pair.bug["noise_phase"] - expected, 4096)) < 1e-8
            assert 0 <= pair.bug["noise_phase"] < 4096


@pytest.mark.parametrize(("phase", "by", "after"), [(1.0, 0.5, 1.5), (3.0, 1.0, 0.0), (3.5, 9.0, 0.5)])
def test_a_phase_wraps_also_by_more_than_its_period(phase: float, by: float, after: float) -> None:
    assert grown(phase, by, 4.0) == pytest.approx(after)
