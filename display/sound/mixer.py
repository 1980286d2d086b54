"""The loop times a gain that moves by even steps, one a frame: what the sound device is fed with."""

from __future__ import annotations

from math import copysign

import numpy as np
from numpy.typing import NDArray

from display.sound.ambience import RATE_HZ, Frames
from display.sound.settings import SoundSettings

VOLUME_S = 0.25  # a new volume is reached at 1 / 0.25 s, so that a knob makes no click
CLOSING_S = 0.05
BYTES_A_FRAME = 8
CAPACITY = 8192


_COUNT = np.arange(1.0, CAPACITY + 1)


def _counted(frames: int) -> NDArray[np.float64]:
    return _COUNT[:frames] if frames <= CAPACITY else np.arange(1.0, frames + 1)


class Ramp:
    """A value that nears its target by one even step a frame and then rests on it exactly."""

    def __init__(self, value: float) -> None:
        self.value = value

    def fill(self, target: float, step: float, out: NDArray[np.float64]) -> None:
        """The values of the next len(out) frames."""
        if self.value == target:
            out.fill(target)
            return
        rising = target > self.value
        np.multiply(_counted(len(out)), step if rising else -step, out=out)
        out += self.value
        (np.minimum if rising else np.maximum)(out, target, out=out)
        self.value = float(out[-1])

    def skip(self, target: float, step: float, frames: int) -> None:
        """As if `frames` frames had been filled."""
        way = target - self.value
        self.value = target if abs(way) <= step * frames else self.value + copysign(step * frames, way)


class Mixer:
    """`fill` and `skip` belong to one thread at a time; the plain attributes may be set by any."""

    def __init__(self, settings: SoundSettings) -> None:
        self.lit = False
        self.closing = False
        self.on = settings.on
        self.volume = settings.volume
        self.fade_in_s, self.fade_out_s = settings.fade_in_s, settings.fade_out_s
        self.loop: Frames = np.zeros((RATE_HZ, 2), np.float32)
        self.position = 0
        self._fade, self._loudness = Ramp(0.0), Ramp(settings.volume)
        self._make_room(CAPACITY)

    @property
    def gain(self) -> float:
        """What a sample of the loop is multiplied with now."""
        return self._fade.value * self._loudness.value

    def fill(self, frames: int) -> memoryview:
        """The next frames as the bytes of float32 pairs; good until the next call."""
        if frames > len(self._out):
            self._make_room(frames)
        out, gains, loudness = self._out[:frames], self._gains[:frames], self._louder[:frames]
        wanted = self._wanted()  # once: the light may change meanwhile
        silent = wanted == self._fade.value == 0.0
        self._fade.fill(wanted, self._step(wanted), gains)
        self._loudness.fill(self.volume, 1 / (VOLUME_S * RATE_HZ), loudness)
        if silent:
            self.position = (self.position + frames) % len(self.loop)
            out.fill(0)
        else:
            gains *= loudness
            self._copy(out)
            np.multiply(out, gains[:, None], out=out, casting="same_kind")
        return self._bytes[: frames * BYTES_A_FRAME]

    def skip(self, frames: int) -> None:
        """Time goes on where no device takes the frames."""
        wanted = self._wanted()
        self._fade.skip(wanted, self._step(wanted), frames)
        self._loudness.skip(self.volume, 1 / (VOLUME_S * RATE_HZ), frames)
        self.position = (self.position + frames) % len(self.loop)

    def hush(self) -> None:
        """Begin from silence: a device that was just opened fades in, whatever the light did before."""
        self._fade.value = 0.0

    def _wanted(self) -> float:
        return 1.0 if self.lit and self.on and not self.closing else 0.0

    def _step(self, wanted: float) -> float:
        if self.closing:
            return 1 / (CLOSING_S * RATE_HZ)
        return 1 / (RATE_HZ * (self.fade_in_s if wanted else self.fade_out_s))

    def _copy(self, out: Frames) -> None:
        done = 0
        while done < len(out):
            part = self.loop[self.position : self.position + len(out) - done]
            out[done : done + len(part)] = part
            done += len(part)
            self.position = (self.position + len(part)) % len(self.loop)

    def _make_room(self, frames: int) -> None:
        self._out: Frames = np.zeros((frames, 2), np.float32)
        self._gains = np.zeros(frames)
        self._louder = np.zeros(frames)
        self._bytes = self._out.data.cast("B")
