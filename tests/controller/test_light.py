"""Which positions count: on the screen, just beside it, anything else."""

from __future__ import annotations

import math

import pytest

from controller.light import LightSample, brought_in, on_screen


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (640.0, 480.0), (320.5, 1.0)])
def test_positions_on_the_screen_and_its_edge_count(x: float, y: float) -> None:
    assert on_screen(x, y, 640, 480)
    assert brought_in(x, y, 640, 480) == (x, y)


@pytest.mark.parametrize(
    ("x", "y"),
    [(-0.1, 5.0), (5.0, 480.1), (math.nan, 5.0), (5.0, math.nan), (math.inf, 5.0), (5.0, -math.inf)],
)
def test_others_do_not(x: float, y: float) -> None:
    assert not on_screen(x, y, 640, 480)


def test_a_calibrated_device_may_miss_the_edge_by_two_percent() -> None:
    assert brought_in(-12.0, 489.0, 640, 480) == (0.0, 480.0)
    assert brought_in(-13.0, 100.0, 640, 480) is None
    assert brought_in(100.0, 490.0, 640, 480) is None
    assert brought_in(math.nan, 100.0, 640, 480) is None


def test_a_contact_is_the_plain_values_that_the_visit_rules_take() -> None:
    sample = LightSample(7, 1.5, 10.0, 20.0, False, "camera", False, "camera_lost")
    assert sample.contact == (1.5, False, 10.0, 20.0, "camera", "camera_lost")
