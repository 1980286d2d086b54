"""A sound file as a loop in memory: WAV, FLAC, OGG Vorbis and MP3, told apart by their content."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from display.sound.ambience import RATE_HZ, Frames

MOST_BYTES = 500_000_000
MOST_S = 600
CHUNK_FRAMES = 16_384
GROWTH_FRAMES = 10 * RATE_HZ


class SoundFileError(ValueError):
    """The file cannot be the loop; the message says why."""


def read_loop(file: str) -> Frames:
    """The file as float32 (frames, 2) at 48 kHz, within -1..1, at least a second long (repeated if need be).

    Raises SoundFileError, ImportError where there is no miniaudio.
    """
    loop = _decoded(_checked(file))
    if not len(loop):
        raise SoundFileError("it holds no sound")
    times = -(-RATE_HZ // len(loop))
    return np.tile(loop, (times, 1)) if times > 1 else loop  # once would be a copy too


def _checked(file: str) -> Path:
    try:
        path = Path(file).expanduser()
        status = path.stat()
    except OSError as error:
        raise SoundFileError(error.strerror or str(error)) from error
    except (RuntimeError, ValueError) as error:  # a ~ whose folder is not known, a name that no file can have
        raise SoundFileError(str(error)) from error
    if not stat.S_ISREG(status.st_mode):
        raise SoundFileError("it is not a file")
    if status.st_size > MOST_BYTES:
        raise SoundFileError(f"it has over {MOST_BYTES // 1_000_000} MB")
    try:
        path.open("rb").close()  # the library does not say why it cannot
    except OSError as error:
        raise SoundFileError(error.strerror or str(error)) from error
    return path


def _decoded(path: Path) -> Frames:
    """Piece by piece into one array that grows in place: a long loop is never held twice."""
    loop, frames = np.zeros((0, 2), np.float32), 0
    for chunk in _pieces(path):
        end = frames + len(chunk)
        if end > MOST_S * RATE_HZ:
            raise SoundFileError(f"it is longer than {MOST_S // 60} minutes")
        if end > len(loop):
            loop.resize((len(loop) + GROWTH_FRAMES, 2), refcheck=False)
        np.clip(np.nan_to_num(chunk), -1, 1, out=loop[frames:end])
        frames = end
    loop.resize((frames, 2), refcheck=False)
    return loop


def _pieces(path: Path) -> Iterator[Frames]:
    import miniaudio

    try:
        for samples in miniaudio.stream_file(
            str(path), miniaudio.SampleFormat.FLOAT32, 2, RATE_HZ, CHUNK_FRAMES
        ):
            yield np.frombuffer(samples, np.float32).reshape(-1, 2)
    except miniaudio.MiniaudioError as error:
        raise SoundFileError("it is no WAV, FLAC, OGG Vorbis or MP3 that can be read") from error
