"""The film's encoder as a process of its own: `python -m controller.recording.encoder`.

Standard input: see `frames`. When the input ends, with the show or by its death, the film is completed and
put in its place. Standard output: one JSON line {"frames": n} or {"fault": why}.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

import cv2
import numpy as np

from controller.recording.frames import HEAD, Order

# MPEG-4 Part 2: the OpenCV wheel brings no H.264, and its VP9 takes thirty times as long.
CODEC = "mp4v"


class FilmFailed(RuntimeError):
    """The film cannot be written; the message says why."""


class Film:
    """An MP4 file that appears under its name when it is complete."""

    def __init__(self, order: Order) -> None:
        self.frames = 0
        self._size_px = (order.width_px, order.height_px)
        self._path = Path(order.path)
        self._partial = self._path.with_name(f".{self._path.stem}.{os.getpid()}.partial.mp4")
        fourcc = cv2.VideoWriter.fourcc(*CODEC)
        self._writer = cv2.VideoWriter(
            str(self._partial), cv2.CAP_FFMPEG, fourcc, float(order.rate_hz), self._size_px
        )
        if not self._writer.isOpened():
            self._partial.unlink(missing_ok=True)
            raise FilmFailed(f"{self._path.parent} cannot be written, or OpenCV has no {CODEC} encoder")

    def add(self, picture: np.ndarray, repeats: int) -> None:
        """Write an RGB picture (height, width, 3) `repeats` times, brought to the film's size."""
        turned = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
        if (picture.shape[1], picture.shape[0]) != self._size_px:
            turned = cv2.resize(turned, self._size_px, interpolation=cv2.INTER_AREA)
        for _ in range(repeats):
            self._writer.write(turned)
        self.frames += repeats

    def close(self) -> None:
        """Complete the file. Raises FilmFailed when the disk did not take all of it."""
        self._writer.release()
        found = _count(self._partial)
        if found < self.frames:
            raise FilmFailed(
                f"only {found} of {self.frames} pictures reached the disk; {self._partial} is what there is"
            )
        self._partial.replace(self._path)


def _count(path: Path) -> int:
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) if capture.isOpened() else 0
    capture.release()
    return count


def encode(source: BinaryIO) -> dict[str, Any]:
    """Write the film that `source` orders; what to tell the show."""
    order = Order(**json.loads(source.readline()))
    try:
        film = Film(order)
        while len(head := source.read(HEAD.size)) == HEAD.size:
            repeats, width, height = HEAD.unpack(head)
            data = source.read(3 * width * height)
            if len(data) < 3 * width * height:
                break
            film.add(np.frombuffer(data, np.uint8).reshape(height, width, 3), repeats)
        film.close()
    except (FilmFailed, OSError, cv2.error) as error:
        return {"fault": str(error)}
    return {"frames": film.frames}


def main() -> None:
    """Signals are for the show: the film ends when its input does."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    cv2.setNumThreads(1)
    print(json.dumps(encode(sys.stdin.buffer)), flush=True)


if __name__ == "__main__":
    main()
