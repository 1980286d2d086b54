"""Cameras that misbehave: old pictures, none, another node, a full bus, one picture for ever."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.inputs.camera_capture import (
    CaptureFailed,
    DevicePictures,
    FilePictures,
    Liveness,
    pictures,
)
from controller.inputs.camera_devices import cameras, is_video_file, nodes_for
from controller.inputs.camera_records import Loss
from controller.inputs.camera_settings import CameraSettings


class FakeCapture:
    """A camera in the shape of cv2.VideoCapture; `read_picture(size)` gives an array or None."""

    def __init__(self, read_picture: Callable[[tuple[int, int]], np.ndarray | None]) -> None:
        self.read_picture = read_picture
        self.size = [0, 0]
        self.released = False

    def isOpened(self) -> bool:  # noqa: N802 - the library's name
        return True

    def set(self, what: int, value: float) -> bool:
        if what in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT):
            self.size[what == cv2.CAP_PROP_FRAME_HEIGHT] = int(value)
        return True

    def read(self) -> tuple[bool, np.ndarray | None]:
        picture = self.read_picture((self.size[0], self.size[1]))
        return picture is not None, picture

    def release(self) -> None:
        self.released = True


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    """A /dev with two cameras of two nodes each, the later one with a stable name."""
    for number in (0, 1, 2, 10):
        (tmp_path / f"video{number}").touch()
    (tmp_path / "v4l" / "by-id").mkdir(parents=True)
    for index, number in ((0, 2), (1, 10)):
        link = tmp_path / "v4l" / "by-id" / f"usb-Maker_Camera_77-video-index{index}"
        link.symlink_to(os.path.relpath(tmp_path / f"video{number}", link.parent))
    return tmp_path


def open_with(dev: Path, device: str, reads: dict[str, Callable], **over: int) -> DevicePictures:
    return DevicePictures(
        device,
        CameraSettings(**over),
        open_capture=lambda path, api: FakeCapture(reads.get(Path(path).resolve().name, lambda size: None)),
        sleep=lambda s: None,
        find=lambda name: nodes_for(name, dev),
    )


def picture(size: tuple[int, int]) -> np.ndarray:
    return np.zeros((size[1], size[0], 3), np.uint8)


def test_cameras_are_listed_without_opening_them(dev: Path, tmp_path: Path) -> None:
    (tmp_path / "names" / "video2").mkdir(parents=True)
    (tmp_path / "names" / "video2" / "name").write_text("Maker Camera\n")
    found = cameras(dev, tmp_path / "names")
    assert [Path(camera["node"]).name for camera in found] == ["video0", "video1", "video2", "video10"]
    assert found[2]["device"] == "usb-Maker_Camera_77-video-index0"
    assert (found[2]["name"], found[2]["stable"], found[0]["stable"]) == ("Maker Camera", True, False)


def test_device_names_mean_what_they_say(dev: Path) -> None:
    def names(device: str) -> list[str]:
        return [node.resolve().name for node in nodes_for(device, dev)]

    assert names("1") == ["video1"]
    assert names("usb-Maker_Camera") == ["video2", "video10"]
    assert names("auto") == ["video2", "video10", "video0", "video1"]
    assert names(str(dev / "video0")) == ["video0"]
    assert names("7") == names("usb-Other") == []
    assert is_video_file("clips/a.mp4", dev)
    assert is_video_file("a.mp4", dev)
    assert not any(is_video_file(name, dev) for name in ("0", "auto", f"{dev}/video0", f"{dev}/video5"))
    assert not is_video_file("usb-Maker_H.264_Camera", dev)
    (dev / "shm.mp4").touch()
    assert is_video_file(f"{dev}/shm.mp4", dev)


@pytest.mark.parametrize("working", ["video0", "video1", "video10"])
def test_first_node_that_delivers_is_taken_and_named(dev: Path, working: str) -> None:
    """F04: another number after each start; a node that opens but carries no pictures."""
    camera = open_with(dev, "auto", {working: picture})
    camera.close()
    assert camera.name == (working if working != "video10" else "usb-Maker_Camera_77-video-index1")


def test_full_bus_is_tried_again_with_small_pictures(dev: Path) -> None:
    """F13."""
    camera = open_with(
        dev,
        "0",
        {"video0": lambda size: picture(size) if size[0] <= 640 else None},
        picture_width_px=1280,
        picture_height_px=720,
    )
    camera.close()
    assert camera.size == (640, 480)


@pytest.mark.parametrize(("device", "loss"), [("0", Loss.NO_PICTURES), ("5", Loss.NOT_THERE)])
def test_failures_are_told_apart(dev: Path, device: str, loss: Loss) -> None:
    with pytest.raises(CaptureFailed) as failed:
        open_with(dev, device, {})
    assert failed.value.loss == loss
    assert ("opened, no pictures" if loss == Loss.NO_PICTURES else "not there") in str(failed.value)


def test_only_the_newest_picture_is_given(dev: Path) -> None:
    """F11: pictures come faster than they are taken."""
    taken = threading.Semaphore(1)
    count = 0

    def numbered(size: tuple[int, int]) -> np.ndarray | None:
        nonlocal count
        taken.acquire()
        count += 1
        return np.full((2, 2), count, np.uint16)

    camera = open_with(dev, "0", {"video0": numbered})
    given = []
    for _ in range(20):
        for _ in range(5):
            before = count
            taken.release()
            while count == before or camera._newest is None or camera._newest[2][0, 0] != count:
                pass
        item = camera.next(1)
        assert item is not None
        given.append(count - int(item[1][0, 0]))
        assert camera.next(0) is None, "none is given twice"
    camera.close()
    taken.release()
    assert max(given) == 0


def test_failing_reads_end_the_camera_after_a_second_without_spinning(dev: Path) -> None:
    """F02."""
    pauses: list[float] = []
    good = [picture((64, 48))] * 3
    camera = DevicePictures(
        "0",
        CameraSettings(),
        open_capture=lambda path, api: FakeCapture(lambda size: good.pop() if good else None),
        sleep=pauses.append,
        find=lambda name: nodes_for(name, dev),
    )
    while not camera.stopped:
        camera.next(0.1)
    assert 0.5 <= sum(pauses) <= 1.5
    assert len(pauses) <= 60


def test_one_picture_for_ever_is_no_news_unless_the_room_is_dark() -> None:
    """F01."""
    random = np.random.default_rng(2)
    liveness = Liveness(dark_level=16)
    noisy = [random.integers(0, 255, (48, 64, 3), np.uint8) for _ in range(5)]
    assert [liveness.is_new(one) for one in noisy] == [True] * 5
    assert [liveness.is_new(noisy[-1].copy()) for _ in range(5)] == [False] * 5
    assert liveness.is_new(noisy[0])
    dark = np.full((48, 64, 3), 3, np.uint8)
    assert [liveness.is_new(dark.copy()) for _ in range(5)] == [True] * 5


def test_clip_has_its_own_times_and_all_its_pictures(cases: Path) -> None:
    video = FilePictures(str(cases / "tracking" / "c920_close_red.mp4"))
    times = [at_s for at_s, _ in video]
    steps = np.diff(times)
    assert times[0] == 0.0
    assert len(times) > 1000
    assert steps.min() > 0
    assert np.ptp(steps) > 0.02, "this clip has no steady rate, and we do not invent one"


def test_file_without_pictures_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("This is a text that a decoder would show as a terminal.\n" * 50)
    with pytest.raises(CaptureFailed, match="no video"):
        next(pictures(str(path), CameraSettings()))
