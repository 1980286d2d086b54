"""The tracker on recorded clips with known truth: what is found, and what is seen that was not there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from controller.inputs.camera_capture import pictures
from controller.inputs.camera_settings import CameraSettings
from controller.tracking.follow import track
from controller.tracking.settings import TrackingSettings


@dataclass
class Score:
    required: int = 0
    found: int = 0
    found_strictly: int = 0
    unmatched: int = 0
    frames: int = 0


def spots_of(path: Path, units: list[int] | None) -> tuple[list[tuple[float, float]], int]:
    """All spots the tracker tells, in the units of the truth, and the number of frames."""
    counter, size = [0], [1, 1]

    def counted() -> Any:
        for at_s, picture in pictures(str(path), CameraSettings()):
            counter[0] += 1
            size[:] = [picture.shape[1], picture.shape[0]]
            yield at_s, picture

    events = [e for e in track(counted(), TrackingSettings(), spots=True) if e["kind"] == "spot"]
    scale = (units[0] / size[0], units[1] / size[1]) if units else (1.0, 1.0)
    return [(e["x"] * scale[0], e["y"] * scale[1]) for e in events], counter[0]


def matched(truth: list[list[float]], spots: list[tuple[float, float]], reach: float) -> int:
    """How many true points have a spot of their own within reach, earlier spots first."""
    free, count = list(spots), 0
    for x, y in truth:
        near = [spot for spot in free if np.hypot(spot[0] - x, spot[1] - y) <= reach]
        if near:
            free.remove(min(near, key=lambda spot: np.hypot(spot[0] - x, spot[1] - y)))
            count += 1
    return count


@pytest.fixture(scope="module")
def score(cases: Path) -> Score:
    folder = cases / "tracking"
    truth = json.loads((folder / "truth.json").read_text())
    clips = truth["clips"] + [{"file": pair["camera"]} for pair in truth["display_pairs"]]
    total = Score()
    for clip in clips:
        required, tolerated = clip.get("required", []), clip.get("tolerated", [])
        spots, frames = spots_of(folder / clip["file"], clip.get("truth_units"))
        total.required += len(required)
        total.found += matched(required, spots, truth["match_px"])
        total.found_strictly += matched(required, spots, truth["strict_px"])
        total.frames += frames
        known = np.array(required + tolerated).reshape(-1, 2)
        far = [spot for spot in spots if np.all(np.hypot(*(known - spot).T) > truth["match_px"])]
        total.unmatched += len(far)
    return total


def test_clips_required_spots_are_found(score: Score) -> None:
    assert score.required > 0
    assert score.found >= 0.95 * score.required
    assert score.found_strictly >= 0.95 * score.required


def test_clips_show_few_spots_that_were_not_there(score: Score) -> None:
    assert score.frames > 1000
    assert score.unmatched * 100 <= score.frames


def test_clips_are_told_in_order_with_a_spot_before_its_switch(cases: Path) -> None:
    source = pictures(str(cases / "tracking" / "45in-green.mp4"), CameraSettings())
    events = list(track(source, TrackingSettings(), moves=True, spots=True))
    kinds = [event["kind"] for event in events]
    assert kinds.count("on") == kinds.count("off") == kinds.count("spot") == 4
    switches = [kind for kind in kinds if kind != "move"]
    assert switches == ["spot", "on", "off"] * 4
    assert all(set(event) == {"kind", "time", "x", "y"} for event in events)
