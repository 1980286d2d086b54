"""The smooth noise of the pace: as defined, without a jump, within its range, of its period."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

import numpy as np
import pytest

from controller.behavior.smooth_noise import PERIOD, levels_of, smooth_noise
from tests.behavior.naive_numbers import noise_of
from tests.behavior.pairs import TOLERANCE, fewer

# No blend is steeper: octaves of half the weight and twice the rate all add as much.
STEEPEST = 4 * 0.5 * math.pi / 2


@pytest.fixture(scope="module", params=[0, 7])
def noise(request: pytest.FixtureRequest) -> Callable[[float], float]:
    levels = levels_of(request.param)
    return lambda at: float(smooth_noise(at, levels))


def places(count: int) -> list[float]:
    """Cell edges of all octaves, just before and after them, and anywhere."""
    edges = [k / 8 for k in (*range(40), 8 * PERIOD - 8, 8 * PERIOD - 1)]
    beside = [math.nextafter(edge, way) for edge in edges[1:] for way in (0.0, math.inf)]
    anywhere = np.random.default_rng(1).uniform(0, PERIOD, fewer(count)).tolist()
    return [*edges, *beside, math.nextafter(PERIOD, 0), *anywhere]


@pytest.mark.parametrize("seed", [0, 1, 7, 2**64 - 1])
def test_noise_is_as_defined(seed: int) -> None:
    levels, twin = levels_of(seed), noise_of(seed)
    assert max(abs(smooth_noise(at, levels) - twin(at)) for at in places(8000)) <= TOLERANCE


def test_levels_are_the_seeds_numbers() -> None:
    assert len(set(levels_of(1).tolist())) == PERIOD
    assert not set(levels_of(1).tolist()) & set(levels_of(2).tolist())


def test_noise_stays_within_its_range_and_uses_it(noise: Callable[[float], float]) -> None:
    found = [noise(at) for at in places(20_000)]
    assert min(found) >= 0.0
    assert max(found) < 1.0
    assert 0.1 < statistics.pstdev(found) < 0.25


def test_noise_never_jumps(noise: Callable[[float], float]) -> None:
    """Also over the edges of cells, and over the end of the period."""
    span_px = 1e-4
    starts = [*(k / 8 - span_px / 2 for k in range(1, 200)), PERIOD - span_px / 2, *places(4000)]
    for at in starts:
        assert abs(noise(at + span_px) - noise(at)) <= STEEPEST * span_px + TOLERANCE


def test_noise_has_its_period(noise: Callable[[float], float]) -> None:
    for at in (0.0, 0.3, 17.77, 4095.9):
        assert noise(at + PERIOD) == pytest.approx(noise(at), abs=TOLERANCE)
        assert abs(noise(at + PERIOD / 2) - noise(at)) > TOLERANCE
