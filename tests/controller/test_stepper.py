"""Ticks of 1/60 s out of clocks of any rate, hiccups, and pictures at absolute deadlines."""

from __future__ import annotations

import pytest

from controller.pacing import Pacer
from controller.stepper import BACKLOG_LIMIT_S, ManualClock, Stepper


@pytest.mark.parametrize("rate_hz", [20.0, 50.0, 59.94, 60.0, 75.0, 144.0, 240.0])
def test_an_hour_at_any_rate_has_its_number_of_ticks(rate_hz: float) -> None:
    clock = ManualClock(12345.678)
    stepper = Stepper(clock)
    seen = 0
    for picture in range(1, int(3600 * rate_hz) + 1):
        clock.now_s = 12345.678 + picture / rate_hz
        seen += len(stepper.due())
        assert 0.0 <= stepper.alpha <= 1.0
    assert abs(seen - 3600 * 60) <= 1
    assert stepper.dropped_ticks == 0


def test_ticks_are_numbered_without_gaps() -> None:
    clock = ManualClock()
    stepper = Stepper(clock)
    seen: list[int] = []
    for step_s in (0.016, 0.05, 0.0, 0.2, 0.4, 0.017):
        clock.sleep(step_s)
        seen += stepper.due()
    assert seen == list(range(1, len(seen) + 1))


def test_a_hiccup_under_the_limit_is_caught_up_and_a_longer_one_dropped_and_counted() -> None:
    clock = ManualClock()
    stepper = Stepper(clock)
    clock.sleep(0.2)
    assert len(stepper.due()) == 12
    clock.sleep(1.0)
    assert len(stepper.due()) == int(BACKLOG_LIMIT_S * 60)
    assert stepper.dropped_ticks == 60 - int(BACKLOG_LIMIT_S * 60)
    clock.sleep(0.5 / 60)
    assert not stepper.due()


def test_a_clock_that_goes_back_gives_no_ticks_and_no_error() -> None:
    clock = ManualClock(10.0)
    stepper = Stepper(clock)
    clock.now_s = 9.0
    assert not stepper.due()
    assert stepper.alpha == 0.0


def test_alpha_tells_how_far_the_picture_stands_between_two_ticks() -> None:
    clock = ManualClock()
    stepper = Stepper(clock)
    clock.now_s = 2.25 / 60
    assert len(stepper.due()) == 2
    assert stepper.alpha == pytest.approx(0.25)


def test_pictures_keep_to_absolute_deadlines() -> None:
    """Work that takes 0..9 ms each time does not shift the 600th picture."""
    clock = ManualClock()
    pacer = Pacer(1 / 60, clock, clock.sleep)
    for k in range(600):
        clock.sleep(0.001 * (k % 10))
        pacer.wait()
    assert clock.now_s == pytest.approx(10.0, abs=1e-9)


def test_after_a_hiccup_the_deadlines_start_anew() -> None:
    clock = ManualClock()
    pacer = Pacer(1 / 60, clock, clock.sleep)
    clock.sleep(1.0)
    pacer.wait()
    before_s = clock.now_s
    pacer.wait()
    assert clock.now_s - before_s == pytest.approx(1 / 60)
