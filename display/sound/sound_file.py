"""A sound file as a loop in memory: WAV, FLAC, OGG Vorbis and MP3, told apart by their content."""

from __future__ import annotations

import stat
from pathlib import Path

import numpy as np

from display.sound.ambience import RATE_HZ, Frames

MOST_BYTES = 500_000_000
MOST_S = 600
CHUNK_FRAMES = 16_384


class SoundFileError(ValueError):
    """The file cannot be the loop; the message says why."""


def read_loop(file: str) -> Frames:
    """The file as float32 (frames, 2) at 48 kHz, within -1..1, at least a second long (repeated if need be).

    Raises SoundFileError, ImportError where there is no miniaudio.
    """
    loop = _decoded(_content(file))
    if not len(loop):
        raise SoundFileError("it holds no sound")
    return np.tile(loop, (-(-RATE_HZ // len(loop)), 1))


def _content(file: str) -> bytes:
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
        return path.read_bytes()
    except OSError as error:
        raise SoundFileError(error.strerror or str(error)) from error


def _decoded(content: bytes) -> Frames:
    import miniaudio

    most = MOST_S * RATE_HZ
    chunks: list[Frames] = []
    frames = 0
    try:
        for samples in miniaudio.stream_memory(
            content, miniaudio.SampleFormat.FLOAT32, 2, RATE_HZ, CHUNK_FRAMES
        ):
            chunk = np.frombuffer(samples, np.float32).reshape(-1, 2)
            frames += len(chunk)
            if frames > most:
                raise SoundFileError(f"it is longer than {MOST_S // 60} minutes")
            chunks.append(np.clip(np.nan_to_num(chunk), -1, 1))
    except miniaudio.MiniaudioError as error:
        raise SoundFileError("it is no WAV, FLAC, OGG Vorbis or MP3 that can be read") from error
    return np.concatenate(chunks) if chunks else np.zeros((0, 2), np.float32)
