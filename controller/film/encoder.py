"""The film's encoder as a process of its own: `python -m controller.film.encoder`.

Standard input: see `frames`. When the input ends, with the show or by its death, the film is completed and
put in its place. Standard output: one JSON line {"frames": n} or {"fault": why}.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO, cast

import av
import numpy as np
from av import VideoStream
from av.video.reformatter import Colorspace, Interpolation

from controller.film.frames import HEAD, Order, partial_of

# H.264 in 4:2:0 plays everywhere. Constant quality: the dark beam shows bands at 23, none at 18.
CODEC, FORMAT = "libx264", "yuv420p"
OPTIONS = {
    "preset": "veryfast",
    "crf": "18",
    "x264-params": "colorprim=bt709:transfer=bt709:colormatrix=bt709",
}


class Film:
    """An MP4 file that appears under its name when it is complete. Raises OSError or av.FFmpegError."""

    def __init__(self, order: Order) -> None:
        self.frames = 0
        self._size_px = (order.width_px, order.height_px)
        self._path = Path(order.path)
        self._partial = partial_of(order.path, os.getpid())
        self._file = av.open(str(self._partial), "w")
        stream = self._file.add_stream(CODEC, order.rate_hz, options=OPTIONS)
        self._stream = cast(VideoStream, stream)
        self._stream.width, self._stream.height = self._size_px
        self._stream.pix_fmt = FORMAT
        self._stream.codec_context.time_base = Fraction(1, order.rate_hz)
        # Otherwise a folder that cannot be written to is found out many pictures later.
        self._file.start_encoding()

    def add(self, picture: np.ndarray, repeats: int) -> None:
        """Write an RGB picture (height, width, 3) `repeats` times; another size is fitted in."""
        if (picture.shape[1], picture.shape[0]) != self._size_px:
            picture = fitted(picture, self._size_px)
        turned = av.VideoFrame.from_ndarray(picture, "rgb24").reformat(
            *self._size_px, FORMAT, dst_colorspace=Colorspace.ITU709
        )
        for _ in range(repeats):
            turned.pts = self.frames
            self._file.mux(self._stream.encode(turned))
            self.frames += 1

    def close(self) -> None:
        """Complete the file and put it in its place."""
        self._file.mux(self._stream.encode(None))
        self._file.close()
        self._partial.replace(self._path)

    def abandon(self) -> None:
        """Leave nothing of it behind."""
        self._partial.unlink(missing_ok=True)


def fitted(picture: np.ndarray, size_px: tuple[int, int]) -> np.ndarray:
    """The whole picture within `size_px` (width, height), in its own proportions, black around it."""
    if (picture.shape[1] // 2 * 2, picture.shape[0] // 2 * 2) == size_px:
        # H.264 in 4:2:0 takes even sizes only.
        return np.ascontiguousarray(picture[: size_px[1], : size_px[0]])
    height, width = picture.shape[:2]
    share = min(size_px[0] / width, size_px[1] / height)
    inner = max(1, round(width * share)), max(1, round(height * share))
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), "rgb24")
    small = frame.reformat(*inner, "rgb24", interpolation=Interpolation.AREA).to_ndarray()
    whole = np.zeros((size_px[1], size_px[0], 3), np.uint8)
    left, top = (size_px[0] - inner[0]) // 2, (size_px[1] - inner[1]) // 2
    whole[top : top + inner[1], left : left + inner[0]] = small
    return whole


def encode(source: BinaryIO) -> dict[str, Any]:
    """Write the film that `source` orders; what to tell the show."""
    order = Order(**json.loads(source.readline()))
    film = None
    try:
        film = Film(order)
        while len(head := source.read(HEAD.size)) == HEAD.size:
            repeats, width, height = HEAD.unpack(head)
            data = source.read(3 * width * height)
            if len(data) < 3 * width * height:
                break
            film.add(np.frombuffer(data, np.uint8).reshape(height, width, 3), repeats)
        if not film.frames:
            film.abandon()
            return {"fault": "no picture was read; let the show run for longer"}
        film.close()
    except (OSError, av.FFmpegError) as error:
        if film is not None:
            film.abandon()
        return {"fault": f"{error.strerror or error}; look at the disk and at the folder's rights"}
    return {"frames": film.frames}


def main() -> None:
    """Signals are for the show: the film ends when its input does."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    answer = json.dumps(encode(sys.stdin.buffer)).encode() + b"\n"
    with suppress(BrokenPipeError):  # a show that was killed does not listen any more
        os.write(sys.stdout.fileno(), answer)


if __name__ == "__main__":
    main()
