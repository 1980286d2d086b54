"""What the sound needs of a device, and how the machine's own one is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Fill = Callable[[int], memoryview]


class DeviceError(RuntimeError):
    """The device cannot be opened now; it may be there later."""


class NoPlayerError(RuntimeError):
    """Sound cannot be played by this installation at all."""


def in_words(error: Exception) -> str:
    """The error's own words, with its kind where nobody foresaw it."""
    if isinstance(error, DeviceError | NoPlayerError):
        return str(error)
    return f"{type(error).__name__}: {error}".removesuffix(": ")


class OpenDevice(Protocol):
    """`name` of the way to the loudspeakers, `frames` taken so far, `close()`."""

    name: str
    frames: int

    def close(self) -> None:
        """Stop and let go."""


def open_device(fill: Fill) -> OpenDevice:
    """Start the machine's default device: from now on it takes `fill(frames)`, in a thread of its own.

    Raises DeviceError where no device can be opened now, NoPlayerError without miniaudio.
    """
    try:
        from display.sound.speaker import Speaker
    except ImportError as error:
        raise NoPlayerError(f"miniaudio cannot be loaded ({error})") from error
    return Speaker(fill)
