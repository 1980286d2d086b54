"""One sound device through miniaudio: opened, fed from a callback, closed with all that it holds."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from display.sound.alsa import silence_alsa
from display.sound.ambience import RATE_HZ

if TYPE_CHECKING:
    import miniaudio

PERIOD_MS, PERIODS = 30, 3  # a buffer of 90 ms
Fill = Callable[[int], memoryview]


class DeviceError(RuntimeError):
    """The device cannot be opened now; it may be there later."""


class NoPlayerError(RuntimeError):
    """Sound cannot be played by this installation at all."""


class OpenDevice(Protocol):
    """What the keeper asks of a device: `name`, `frames` taken so far, `close()`."""

    name: str
    frames: int

    def close(self) -> None:
        """Stop and let go."""


def open_device(fill: Fill, backends: Sequence[miniaudio.Backend] = ()) -> OpenDevice:
    """Start the default device, or that of the first of `backends` that answers; `fill` feeds it.

    Raises DeviceError where no device can be opened now, NoPlayerError without miniaudio.
    """
    try:
        import miniaudio
    except (ImportError, OSError) as error:
        raise NoPlayerError(f"miniaudio cannot be loaded ({error})") from error
    silence_alsa()
    try:
        return _Device(fill, list(backends) or _real_backends())
    except miniaudio.MiniaudioError as error:
        raise DeviceError(_reason(error)) from error


def _real_backends() -> list[miniaudio.Backend]:
    """All that lead to loudspeakers, best first; JACK would write its own lines when nobody runs it."""
    import miniaudio

    other = {miniaudio.Backend.NULL, miniaudio.Backend.CUSTOM, miniaudio.Backend.JACK}
    return sorted(miniaudio.get_enabled_backends() - other, key=lambda backend: int(backend.value))


def _reason(error: miniaudio.MiniaudioError) -> str:
    code = error.args[-1] if error.args else ""
    return f"there is no sound device that can be opened (miniaudio: {code})"


class _Device:
    def __init__(self, fill: Fill, backends: list[miniaudio.Backend]) -> None:
        self.frames = 0
        self._player = _player_class()(
            *_format(), backends=backends, callback_periods=PERIODS, app_name="baited"
        )
        self.name = str(self._player.backend)
        feed = self._feed(fill)
        next(feed)
        try:
            self._player.start(feed)
        except BaseException:
            self._player.close()
            raise

    def close(self) -> None:
        self._player.close()

    def _feed(self, fill: Fill) -> Generator[Any, int, None]:
        """Runs in the device's own thread: short, and nothing in it may wait."""
        wanted = yield b""
        while True:
            self.frames += wanted
            wanted = yield fill(wanted)


def _format() -> tuple[Any, ...]:
    import miniaudio

    return miniaudio.SampleFormat.FLOAT32, 2, RATE_HZ, PERIOD_MS


def _player_class() -> Any:
    import miniaudio

    class Player(miniaudio.PlaybackDevice):
        """The library forgets the context of each device; after some fifty there would be no more."""

        _context: Any = None

        def close(self) -> None:
            super().close()
            context, self._context = self._context, None
            if context is not None:
                miniaudio.lib.ma_context_uninit(context)

    return Player
