"""What `track` prints: whole JSON and ON and OFF in pairs, also where a calibration has no answer."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

import numpy as np
import pytest

from calibration.profile import CameraProfile
from controller.tracking.follow import track
from controller.tracking.settings import TrackingSettings

FRAME_S = 1 / 30
HORIZON = ((1.0, 0, 0), (0, 1.0, 0), (0.01, 0, -1.0))  # points with x = 100 px have no place


def profile(**over: object) -> CameraProfile:
    values = {"camera": "c", "picture_size": (160, 120), "screen_size": (160, 120), "homography": HORIZON}
    return CameraProfile(**{**values, "verdict": "accepted", **over})  # type: ignore[arg-type]


class Path:
    """Pictures of a light at given columns (None = no light), as a tracker's source."""

    def __init__(self, scene: Callable, columns: list[float | None]) -> None:
        made = scene(160, 120)
        self.pictures = [
            made.picture() if x is None else made.picture(made.disc(x, 60, 5)) for x in [None] * 12 + columns
        ]

    def events(self, kept: CameraProfile | None, **wanted: bool) -> list[dict]:
        source = ((number * FRAME_S, picture) for number, picture in enumerate(self.pictures))
        return list(track(source, TrackingSettings(), kept, **wanted))


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> CameraProfile:
    """Widens the horizon to a strip of 10 px, as a sub-pixel position seldom hits the line itself."""

    def to_screen(self: CameraProfile, x_px: float, y_px: float) -> tuple[float, float]:
        return (np.nan, np.inf) if abs(x_px - 100) < 5 else (x_px, y_px)

    monkeypatch.setattr(CameraProfile, "to_screen", to_screen)
    return profile()


def strict(event: dict) -> str:
    return json.dumps(event, allow_nan=False)


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        ([100.0] * 8, []),
        ([60.0] * 8, ["on", "off"]),
        ([100.0, 100, 100, 103, 106, 109, 112, 112], ["on", "off"]),
        ([88.0, 88, 88, 91, 94, 97, 100, 100], ["on", "off"]),
    ],
)
def test_lights_at_no_place_are_left_out_and_the_rest_is_in_pairs(
    scene: Callable, nowhere: CameraProfile, columns: list, kinds: list, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        events = Path(scene, [*columns, *[None] * 6]).events(nowhere, moves=True, spots=True)
    assert [event["kind"] for event in events if event["kind"] in ("on", "off")] == kinds
    assert all(strict(event) for event in events)
    assert all(abs(event["x"] - 100) >= 5 for event in events)
    moves = [event for event in events if event["kind"] == "move"]
    assert len(moves) == sum(abs(x - 100) >= 5 for x in columns)
    lines = [record for record in caplog.records if "horizon" in record.getMessage()]
    assert len(lines) == (100.0 in columns), "told once"


def test_light_that_is_on_at_the_end_goes_off_there_also_at_no_place(
    scene: Callable, nowhere: CameraProfile
) -> None:
    events = Path(scene, [88.0, 88, 88, 91, 94, 97, 100, 100]).events(nowhere)
    assert [event["kind"] for event in events] == ["on", "off"]
    assert events[-1]["x"] == pytest.approx(94, abs=1), "the last place that it had"


def test_refused_calibration_is_not_used(scene: Callable) -> None:
    with pytest.raises(ValueError, match=r"refused.*calibrate camera"):
        Path(scene, [60.0] * 5).events(profile(verdict="refused"))
