"""One sound device through miniaudio: opened, fed from a callback, closed with all that it holds."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import miniaudio

from display.sound.alsa import silence_alsa
from display.sound.ambience import RATE_HZ
from display.sound.device import DeviceError, Fill

PERIOD_MS, PERIODS = 30, 3  # a buffer of 90 ms
FORMAT = (miniaudio.SampleFormat.FLOAT32, 2, RATE_HZ, PERIOD_MS)
# JACK is left out: where its server does not run, its library writes its own lines into ours.
NO_SPEAKERS = {miniaudio.Backend.NULL, miniaudio.Backend.CUSTOM, miniaudio.Backend.JACK}


class Speaker:
    """The default device of the first of `backends` that answers. Raises DeviceError when none does."""

    def __init__(self, fill: Fill, backends: Sequence[miniaudio.Backend] = ()) -> None:
        self.frames = 0
        silence_alsa()
        try:
            self._player = _Player(
                *FORMAT,
                backends=list(backends) or real_backends(),
                callback_periods=PERIODS,
                app_name="baited",
            )
            self.name = str(self._player.backend)
            self._start(self._feed(fill))
        except miniaudio.MiniaudioError as error:
            code = error.args[-1] if error.args else ""
            raise DeviceError(f"there is no sound device that can be opened (miniaudio: {code})") from error

    def close(self) -> None:
        """Stop and let go."""
        self._player.close()

    def _start(self, feed: Generator[Any, int, None]) -> None:
        next(feed)
        try:
            self._player.start(feed)
        except miniaudio.MiniaudioError:
            self._player.close()
            raise

    def _feed(self, fill: Fill) -> Generator[Any, int, None]:
        """Runs in the device's own thread: short, and nothing in it may wait."""
        wanted = yield b""
        while True:
            self.frames += wanted
            wanted = yield fill(wanted)


def real_backends() -> list[miniaudio.Backend]:
    """All that lead to loudspeakers here, best first; miniaudio's own choice would end with silence."""
    return sorted(miniaudio.get_enabled_backends() - NO_SPEAKERS, key=lambda backend: int(backend.value))


class _Player(miniaudio.PlaybackDevice):
    """Lets go of its context too, which the library forgets: with it stays a connection to the sound
    server, four files, and after some fifty devices there are no more (pyminiaudio #86)."""

    _context: Any = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        try:
            super().__init__(*arguments, **options)
        except miniaudio.MiniaudioError:
            self.close()
            raise

    def close(self) -> None:
        super().close()
        context, self._context = self._context, None
        if context is not None:
            miniaudio.lib.ma_context_uninit(context)
