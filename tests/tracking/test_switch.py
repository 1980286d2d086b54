"""The switch: frames needed, and how near the told times are to the true ones."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from controller.tracking.settings import TrackingSettings
from controller.tracking.switch import Change, Switch

FRAME_S = 1 / 30
LEVEL = 200.0


def decided(levels: list[float], frame_s: float = FRAME_S, **over: float) -> list[tuple[float, Change]]:
    """Each change with the time of the frame that brought it."""
    switch = Switch(TrackingSettings(**over))
    steps = [(n * frame_s, switch.step(n * frame_s, level, 10, 20)) for n, level in enumerate(levels)]
    return [(at_s, change) for at_s, change in steps if change]


def run(levels: list[float], frame_s: float = FRAME_S, **over: float) -> list[Change]:
    return [change for _, change in decided(levels, frame_s, **over)]


def exposed(on_s: float, off_s: float, stamps_s: np.ndarray, exposure_s: float) -> np.ndarray:
    """Level of a lamp that burns from on_s to off_s in exposures centred on the stamps."""
    begin, end = stamps_s - exposure_s / 2, stamps_s + exposure_s / 2
    lit_s = np.clip(np.minimum(end, off_s) - np.maximum(begin, on_s), 0, None)
    return LEVEL * lit_s / exposure_s


@pytest.mark.parametrize("exposure_s", [0.002, 0.010, 0.033])
def test_times_are_true_to_ten_milliseconds(exposure_s: float) -> None:
    random = np.random.default_rng(3)
    errors = []
    for _ in range(300):
        stamps_s = np.arange(60) * FRAME_S + random.normal(0, 0.002, 60)
        on_s, off_s = random.uniform(0.3, 0.5), random.uniform(1.0, 1.4)
        switch = Switch(TrackingSettings())
        levels = exposed(on_s, off_s, stamps_s, exposure_s)
        steps = [switch.step(t, level, 0, 0) for t, level in zip(stamps_s, levels, strict=True)]
        on, off = (change for change in steps if change)
        assert (on.on, off.on) == (True, False)
        errors += [abs(on.at_s - on_s), abs(off.at_s - off_s)]
    assert np.median(errors) <= 0.010
    assert np.percentile(errors, 95) <= 0.033


def test_on_needs_two_frames_and_off_three() -> None:
    assert run([0, 0, LEVEL, 0, 0, 0]) == []
    found = decided([0, 0, LEVEL, LEVEL, 0, 0, LEVEL, LEVEL, 0, 0, 0, 0])
    assert [change.on for _, change in found] == [True, False]
    assert [at_s for at_s, _ in found] == pytest.approx([3 * FRAME_S, 10 * FRAME_S])
    assert found[1][1].at_s == pytest.approx(7.5 * FRAME_S)


def test_slow_camera_switches_on_at_one_clear_frame_only() -> None:
    assert [change.on for change in run([0, 0, LEVEL, 0, 0, 0, 0], frame_s=0.13)] == [True, False]
    assert run([0, 0, 35.0, 0, 0, 0, 0], frame_s=0.13) == []


def test_level_between_the_thresholds_changes_nothing() -> None:
    between = 0.8 * 30
    assert run([0, 0] + [between] * 20) == []
    assert [change.on for change in run([0, 0, 40, 40] + [between] * 20)] == [True]


def test_fading_light_switches_once_each_way() -> None:
    rising = list(np.linspace(0, LEVEL, 60))
    noisy = [level + 3 * (-1) ** number for number, level in enumerate(rising + rising[::-1])]
    assert [change.on for change in run([0, 0, *noisy, 0, 0, 0])] == [True, False]


def test_times_never_run_backwards() -> None:
    levels = list(np.random.default_rng(5).choice([0.0, 20.0, 40.0, LEVEL], 2000))
    found = decided(levels)
    assert len(found) > 20
    assert all(b.at_s > a.at_s for (_, a), (_, b) in pairwise(found))
    assert all(change.at_s <= decided_s for decided_s, change in found)


def test_forced_off_tells_once() -> None:
    switch = Switch(TrackingSettings())
    for number in range(3):
        switch.step(number * FRAME_S, LEVEL, 10, 20)
    assert switch.force_off(0.2) == Change(False, 0.2, 10, 20)
    assert switch.force_off(0.3) is None
