"""Names that cannot be looked up, and which camera an opened one is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.inputs.camera_capture import CaptureFailed, FilePictures
from controller.inputs.camera_devices import cameras, is_video_file, nodes_for, same_camera, shown
from controller.inputs.camera_records import TEXT_BYTES, Loss

NOBODY = 65534
LONG = "/" + "長" * 300 + ".mp4"  # longer than any file system takes


@contextmanager
def as_nobody() -> Iterator[None]:
    """The rights of a user to whom the test's folders are closed."""
    if os.geteuid() != 0:
        pytest.skip("taking the rights of another user needs root: run the suite as root")
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A folder that only its owner may enter, with a device node and a clip in it."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o700)
    for name in ("video0", "clip.mp4"):
        (folder / name).write_bytes(b"\0" * 100)
    return folder


@pytest.mark.parametrize("device", [LONG, "/dev" + LONG, "長" * 300, "usb-" + "x" * 9000, "9" * 300])
def test_names_too_long_for_any_file_are_not_there(device: str) -> None:
    assert nodes_for(device) == []
    assert is_video_file(device) == (device == LONG)


def test_file_with_a_name_too_long_is_refused_in_one_line_with_the_reason() -> None:
    with pytest.raises(CaptureFailed, match=r"not there.*too long") as failed:
        FilePictures(LONG)
    assert failed.value.loss == Loss.NOT_THERE
    line = str(failed.value)
    assert "\n" not in line
    assert ".mp4" in line
    assert len(line.encode()) <= TEXT_BYTES, "it comes through the pipe whole"


def test_file_in_a_closed_folder_may_not_be_read(closed: Path) -> None:
    path = str(closed / "clip.mp4")
    with as_nobody():
        assert is_video_file(path, Path("/dev"))
        with pytest.raises(CaptureFailed, match="may not be read") as failed:
            FilePictures(path)
    assert failed.value.loss == Loss.FORBIDDEN


def test_devices_in_a_closed_folder_are_not_listed_and_may_be_asked_for(closed: Path) -> None:
    with as_nobody():
        assert cameras(closed) == []
        assert nodes_for("auto", closed) == nodes_for("usb-x", closed) == []
        assert nodes_for(str(closed / "video0"), closed) == [closed / "video0"], "opening it tells why not"


def test_links_that_lead_in_a_circle_are_borne(tmp_path: Path) -> None:
    folder = tmp_path / "v4l" / "by-id"
    folder.mkdir(parents=True)
    (folder / "usb-round").symlink_to(folder / "usb-round")
    (tmp_path / "video0").touch()
    assert [camera["stable"] for camera in cameras(tmp_path)] == [False]


def test_name_that_is_no_text_is_refused_before_the_decoder_sees_it(tmp_path: Path) -> None:
    """The decoder's process dies of such a name."""
    path = os.fsdecode(bytes(tmp_path / "a") + b"\x93\xae.mp4")
    Path(path).write_bytes(b"\0" * 100)
    with pytest.raises(CaptureFailed, match="rename") as failed:
        FilePictures(path)
    assert str(failed.value).encode()


def test_a_camera_has_one_name_however_it_was_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "v4l" / "by-id"
    folder.mkdir(parents=True)
    for number in (0, 2):
        (tmp_path / f"video{number}").touch()
    (folder / "usb-Maker_7-video-index0").symlink_to("../../video2")
    names = {nodes_for(d, tmp_path)[0].name for d in ("2", str(tmp_path / "video2"), "usb-Maker", "auto")}
    assert names == {"usb-Maker_7-video-index0"}
    assert [node.name for node in nodes_for("0", tmp_path)] == ["video0"]


@pytest.mark.parametrize(
    ("identity", "opened", "same"),
    [
        ("usb-Maker_7-video-index0", "usb-Maker_7-video-index0", True),
        ("/dev/v4l/by-id/usb-Maker_7-video-index0", "usb-Maker_7-video-index0", True),
        ("usb-Maker_7", "usb-Maker_77-video-index0", False),
        ("/dev/video0", "video0", True),
        ("0", "video0", True),
        ("0", "video10", False),
    ],
)
def test_which_camera_a_calibration_means(identity: str, opened: str, same: bool) -> None:
    assert same_camera(identity, opened) == same


def test_long_names_are_shown_by_their_end() -> None:
    assert shown("/a/b.mp4") == "/a/b.mp4"
    assert len(shown(LONG)) <= 120
    assert shown(LONG).endswith("長.mp4")
