"""Our own loop: soft night air and a few insects far off, made of numbers at start.

Every part repeats exactly with the loop, so its last frame leads into its first like any other:
the air is a sum of whole cycles (an inverse Fourier transform), songs that pass the end go on at the start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RATE_HZ = 48_000
LENGTH_S = 24
PEAK = 0.2  # -14 dB of full scale: the loudest frame, at volume 1
SEED = 250

Frames = NDArray[np.float32]


class Singer(NamedTuple):
    """One insect: pitch, wing strokes, length and number of its songs, loudness, place (-1 left, 1 right)."""

    pitch_hz: float
    strokes_hz: float
    song_s: float
    songs: int
    level: float
    place: float


# Pitches of bell and pine crickets (about 4 to 5 kHz); counts without a common divisor, so that the
# songs keep falling differently upon each other.
SINGERS = (
    Singer(4120.0, 27.0, 0.95, 9, 0.050, -0.6),
    Singer(4390.0, 31.0, 0.70, 13, 0.034, 0.5),
    Singer(4040.0, 23.0, 1.30, 7, 0.028, 0.9),
    Singer(4880.0, 36.0, 0.45, 17, 0.016, -0.15),
    Singer(4230.0, 29.0, 1.10, 5, 0.018, -0.95),
)


def ambience() -> Frames:
    """The loop, float32 (frames, 2) at 48 kHz; the same on every call."""
    random = np.random.default_rng(SEED)
    frames = LENGTH_S * RATE_HZ
    out = np.stack([_air(random, frames) for _ in range(2)], axis=1)
    shared = _air(random, frames)
    out += shared[:, None]
    for singer in SINGERS:
        _sing(out, singer, random)
    out *= np.float32(PEAK / np.abs(out).max())
    return out


def _air(random: np.random.Generator, frames: int) -> Frames:
    """Noise that falls from 180 Hz and is gone above 1 kHz, a breath of rustle higher up, slow swells."""
    pitch_hz = np.fft.rfftfreq(frames, 1 / RATE_HZ)[: 8000 * LENGTH_S]
    low = pitch_hz / (pitch_hz + 180.0) ** 2 / (1 + (pitch_hz / 1000.0) ** 4)
    rustle = 6e-5 * np.exp(-(((pitch_hz - 2600.0) / 1500.0) ** 2))
    shape = (low + rustle).astype(np.float32)
    spectrum = np.zeros(frames // 2 + 1, np.complex64)
    spectrum[: len(shape)] = shape * (
        random.standard_normal(len(shape), np.float32) + 1j * random.standard_normal(len(shape), np.float32)
    )
    spectrum[0] = 0
    noise = np.fft.irfft(spectrum, frames).astype(np.float32)
    turn = np.linspace(0, 2 * np.pi, frames, endpoint=False, dtype=np.float32)
    first, second = random.uniform(0, 2 * np.pi, 2).astype(np.float32)
    noise *= 1 + 0.22 * np.sin(2 * turn + first) + 0.16 * np.sin(5 * turn + second)
    noise *= np.float32(0.007 / noise.std())
    return noise


def _sing(out: Frames, singer: Singer, random: np.random.Generator) -> None:
    """Add the songs of one insect, evenly spread but for some restlessness, each a little different."""
    song = _song(singer)
    sides = np.sqrt(np.array([1 - singer.place, 1 + singer.place], np.float32) / 2)
    space = len(out) / singer.songs
    first = random.uniform()
    for count in range(singer.songs):
        start = int((first + count + random.uniform(0.0, 0.45)) * space)
        level = np.float32(singer.level * random.uniform(0.55, 1.0))
        place = np.arange(start, start + len(song)) % len(out)
        out[place] += song[:, None] * (level * sides)


def _song(singer: Singer) -> Frames:
    """One song: strokes that swell and die away, two wings a few hertz apart."""
    time_s = np.arange(int(singer.song_s * RATE_HZ)) / RATE_HZ
    share = time_s / singer.song_s
    swell = np.sin(np.pi * share**0.6) ** 2
    strokes = (0.5 - 0.5 * np.cos(2 * np.pi * singer.strokes_hz * time_s)) ** 1.5
    sinking_s = time_s - 0.006 * share * time_s  # the pitch sinks by about 1 %
    wings = np.sin(2 * np.pi * singer.pitch_hz * sinking_s)
    wings += 0.7 * np.sin(2 * np.pi * (singer.pitch_hz + 7.0) * sinking_s)
    return (wings * swell * (0.15 + 0.85 * strokes) / 1.7).astype(np.float32)
