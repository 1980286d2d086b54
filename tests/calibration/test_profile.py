"""Camera profiles: the map, other picture sizes, and files that a power cut damaged."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from calibration.geometry import apply_homography, scaling
from calibration.profile import CameraProfile, last_good, load

KEYSTONE = ((3.1, 0.2, -40.0), (-0.1, 2.9, -25.0), (1e-4, -2e-4, 1.0))


def profile(**over: object) -> CameraProfile:
    values: dict = {
        "camera": "usb-some-camera",
        "picture_size": (640, 480),
        "screen_size": (1920, 1080),
        "homography": KEYSTONE,
        "verdict": "accepted",
    }
    return CameraProfile(**{**values, **over})


def test_homography_maps_points_as_by_hand() -> None:
    x, y = 100.0, 50.0
    depth = 1e-4 * x - 2e-4 * y + 1.0
    expected = ((3.1 * x + 0.2 * y - 40.0) / depth, (-0.1 * x + 2.9 * y - 25.0) / depth)
    assert profile().to_screen(x, y) == pytest.approx(expected)
    assert apply_homography(np.array(KEYSTONE), np.zeros((0, 2))).shape == (0, 2)


def test_points_on_the_horizon_are_not_numbers() -> None:
    horizon = np.array([[1.0, 0, 0], [0, 1.0, 0], [0.01, 0, -1.0]])
    assert np.isnan(apply_homography(horizon, np.array([[100.0, 5.0]]))).all()


def test_scaling_keeps_the_edges_of_the_picture() -> None:
    corners = np.array([[-0.5, -0.5], [639.5, 479.5]])
    assert apply_homography(scaling((640, 480), (1280, 960)), corners).tolist() == [
        [-0.5, -0.5],
        [1279.5, 959.5],
    ]


def test_profile_for_larger_pictures_points_at_the_same_place() -> None:
    small, large = profile(), profile().rescaled((1280, 960))
    assert large.picture_size == (1280, 960)
    assert large.to_screen(2 * 200 + 0.5, 2 * 100 + 0.5) == pytest.approx(small.to_screen(200, 100))


def test_profile_for_pictures_of_another_shape_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"1280x720.*recalibrate"):
        profile().rescaled((1280, 720))


@pytest.mark.parametrize(
    "broken",
    [((1.0, 0, 0), (2.0, 0, 0), (0, 0, 1.0)), ((float("nan"), 0, 0), (0, 1.0, 0), (0, 0, 1.0))],
)
def test_maps_that_fold_or_are_not_finite_are_refused(broken: tuple) -> None:
    with pytest.raises(ValidationError):
        profile(homography=broken)


def test_saved_profile_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "較正 1" / "camera.json"
    made = profile()
    made.save(path)
    assert load(path) == (made, "")
    assert sorted(p.name for p in path.parent.iterdir()) == ["camera.json", "camera.json.last-good"]


@pytest.mark.parametrize("damage", ["empty", "half", "deleted", "text"])
def test_damaged_file_falls_back_to_the_last_good_copy_and_says_so(tmp_path: Path, damage: str) -> None:
    """F50."""
    path = tmp_path / "camera.json"
    profile(camera="older").save(path)
    profile(camera="newer").save(path)
    whole = path.read_bytes()
    if damage == "deleted":
        path.unlink()
    else:
        path.write_bytes({"empty": b"", "half": whole[: len(whole) // 2], "text": b"\xff\x00 no"}[damage])
    found, warning = load(path)
    assert found is not None
    assert found.camera == "newer"
    assert str(path) in warning
    assert last_good(path).name in warning


def test_nothing_there_is_no_warning_and_nothing_left_is_one(tmp_path: Path) -> None:
    path = tmp_path / "camera.json"
    assert load(path) == (None, "")
    profile().save(path)
    path.write_bytes(b"")
    last_good(path).write_bytes(b"")
    found, warning = load(path)
    assert found is None
    assert "calibrate camera" in warning


def test_profile_that_cannot_be_looked_up_is_no_calibration_with_a_warning(tmp_path: Path) -> None:
    name_too_long = tmp_path / ("長" * 300 + ".json")
    found, warning = load(name_too_long)
    assert found is None
    assert "cannot be read (File name too long)" in warning


def test_profile_in_a_closed_folder_is_no_calibration_with_a_warning(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("taking the rights of another user needs root: run the suite as root")
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o700)
    profile().save(folder / "camera.json")
    os.seteuid(65534)
    try:
        found, warning = load(folder / "camera.json")
    finally:
        os.seteuid(0)
    assert found is None
    assert "may not be read" in warning
    assert str(folder) in warning
