"""Opens a camera or a video file and hands out its pictures with their times."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Both are read when the library starts; it would write its own noise to the terminal otherwise.
os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "2")

import cv2
import numpy as np

from controller.inputs.camera_devices import is_video_file, nodes_for, shown
from controller.inputs.camera_records import Loss
from controller.inputs.camera_settings import CameraSettings

FALLBACK_SIZE = (640, 480)  # what every camera can do, and what fits through a shared bus
FIRST_PICTURE_TRIES = 10
FAILED_READS = 30
TEXT_PROBE_BYTES = 4096
RAW_VIDEO_TEXT = b"YUV4MPEG2"  # the one kind of video that begins as readable text
FAILED_READ_PAUSE_S = 0.03

OpenCapture = Callable[..., Any]


class CaptureFailed(Exception):
    """No pictures; `loss` says which way and whether trying again makes sense."""

    def __init__(self, loss: Loss, text: str) -> None:
        super().__init__(text)
        self.loss = loss


class FilePictures:
    """A video file: (seconds from its first picture, picture), once."""

    def __init__(self, path: str, open_capture: OpenCapture = cv2.VideoCapture) -> None:
        _check_file(path)
        self.name = Path(path).name
        self._capture = open_capture(path, cv2.CAP_FFMPEG)
        good, first = self._capture.read() if self._capture.isOpened() else (False, None)
        if not good or first is None:
            raise CaptureFailed(Loss.NOT_A_VIDEO, f"{shown(path)} is no video that can be played")
        self._first: np.ndarray = first
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._interval_s = 1.0 / rate if 0.1 < rate < 1000 else 1 / 30

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in px."""
        return self._first.shape[1], self._first.shape[0]

    def __iter__(self) -> Iterator[tuple[float, np.ndarray]]:
        origin_s = at_s = self._stamp_s()
        good, picture = True, self._first
        while good and picture is not None:
            yield at_s - origin_s, picture
            good, picture = self._capture.read()
            stamp_s = self._stamp_s()
            at_s = stamp_s if stamp_s > at_s else at_s + self._interval_s
        self._capture.release()

    def _stamp_s(self) -> float:
        return float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000.0


class DevicePictures:
    """A camera: always its newest picture, read by a thread of its own; old ones are dropped."""

    def __init__(
        self,
        device: str,
        settings: CameraSettings,
        open_capture: OpenCapture = cv2.VideoCapture,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
        find: Callable[[str], list[Path]] = nodes_for,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._settings = settings
        self._fresh = threading.Condition()
        self._newest: tuple[int, float, np.ndarray] | None = None
        self._given = 0
        self.stopped = False
        self.name, self._capture, first = _open_any(find(device), device, settings, open_capture)
        self.size = (first.shape[1], first.shape[0])
        threading.Thread(target=self._read, name="camera reader", daemon=True).start()

    def next(self, timeout_s: float) -> tuple[float, np.ndarray] | None:
        """The newest picture not yet given and when it was grabbed; None when there is none in time."""
        with self._fresh:
            self._fresh.wait_for(self._has_news, timeout_s)
            if self._newest is None or self._newest[0] == self._given:
                return None
            self._given, at_s, picture = self._newest
            return at_s, picture

    def close(self) -> None:
        """Let the reader end after its current picture; the process need not wait for it."""
        self.stopped = True

    def _has_news(self) -> bool:
        return self.stopped or (self._newest is not None and self._newest[0] != self._given)

    def _read(self) -> None:
        failed = count = 0
        while not self.stopped and failed < FAILED_READS:
            good, picture = self._capture.read()
            if not good or picture is None:
                failed += 1
                self._sleep(FAILED_READ_PAUSE_S)
                continue
            at_s, failed, count = self._clock(), 0, count + 1
            with self._fresh:
                self._newest = (count, at_s, picture)
                self._fresh.notify_all()
        with self._fresh:
            self.stopped = True
            self._fresh.notify_all()
        self._capture.release()


class Liveness:
    """Tells new pictures from one picture handed out again and again after the plug was pulled."""

    def __init__(self, dark_level: int) -> None:
        self.dark_level = dark_level
        self._last: np.ndarray | None = None

    def is_new(self, picture: np.ndarray) -> bool:
        """True when it differs from the last one, or is dark: a dark room may repeat itself."""
        last, self._last = self._last, picture
        if last is None or last.shape != picture.shape or not np.array_equal(last, picture):
            return True
        return int(picture.max()) <= self.dark_level


def pictures(device: str, settings: CameraSettings) -> Iterator[tuple[float, np.ndarray]]:
    """Pictures of a file (as fast as they are taken) or of a camera (until it stops), with seconds.

    CaptureFailed when there is nothing to show.
    """
    if is_video_file(device):
        yield from FilePictures(device)
        return
    camera = DevicePictures(device, settings)
    origin_s: float | None = None
    while not camera.stopped:
        item = camera.next(0.5)
        if item is not None:
            origin_s = item[0] if origin_s is None else origin_s
            yield item[0] - origin_s, item[1]


def _open_any(
    nodes: list[Path], device: str, settings: CameraSettings, open_capture: OpenCapture
) -> tuple[str, Any, np.ndarray]:
    """The first node that delivers a picture: a camera's second node opens but carries none."""
    if not nodes:
        what = "no camera is plugged in" if device == "auto" else f"camera {shown(device)} is not there"
        raise CaptureFailed(Loss.NOT_THERE, what)
    allowed = [node for node in nodes if os.access(node, os.R_OK | os.W_OK)]
    if not allowed:
        raise CaptureFailed(
            Loss.FORBIDDEN,
            f"camera {shown(str(nodes[0]))} may not be opened by this user: add it to the device's group",
        )
    for node in allowed:
        opened = _open(node, settings, open_capture)
        if opened is not None:
            return node.name, *opened
    raise CaptureFailed(
        Loss.NO_PICTURES, f"camera {shown(device)} opened, no pictures: another port or cable, or in use"
    )


def _open(node: Path, settings: CameraSettings, open_capture: OpenCapture) -> tuple[Any, np.ndarray] | None:
    """Open at the wanted size, else small and compressed: a full bus refuses large pictures."""
    wanted = (settings.picture_width_px, settings.picture_height_px)
    for size in dict.fromkeys([wanted, FALLBACK_SIZE]):
        capture = open_capture(str(node), cv2.CAP_V4L2)
        if not capture.isOpened():
            return None
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        for _ in range(FIRST_PICTURE_TRIES):
            good, picture = capture.read()
            if good and picture is not None and picture.size:
                return capture, picture
        capture.release()
    return None


def _check_file(path: str) -> None:
    """CaptureFailed, in words, for a file that cannot be read or is certainly no video."""
    name = shown(path)
    try:
        path.encode("utf-8")
        if not Path(path).exists():
            raise CaptureFailed(Loss.NOT_THERE, f"{name} is not there")
        if _is_text(Path(path)):
            raise CaptureFailed(Loss.NOT_A_VIDEO, f"{name} is a text, no video")
    except UnicodeEncodeError as error:  # the decoder library would take the process down with it
        raise CaptureFailed(Loss.NOT_A_VIDEO, f"{name} has a name that is no UTF-8: rename it") from error
    except PermissionError as error:
        raise CaptureFailed(Loss.FORBIDDEN, f"{name} may not be read by this user") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise CaptureFailed(Loss.NOT_THERE, f"{name} is not there or cannot be read: {reason}") from error


def _is_text(path: Path) -> bool:
    """True for a text file: the decoder would take it for pictures of a terminal and play it."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(TEXT_PROBE_BYTES)
    if head.startswith(RAW_VIDEO_TEXT):
        return False
    control = set(range(32)) - set(b"\t\n\r\f\b\x1b")
    return bool(head) and not control.intersection(head)
