"""What people did at the window since it was last asked: pointer, keys, new sizes, the wish to quit."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

# Beyond this many waiting events a move replaces the move before it; presses and releases stay.
MERGE_MOVES_FROM = 256
MOST_POINTER_EVENTS = 4096
MOST_KEYS = 256

PointerKind = Literal["press", "release", "move"]


@dataclass(frozen=True, slots=True)
class PointerEvent:
    """One event of the left button.

    `at_s` is when it happened, on `time.perf_counter`; `x`, `y` are picture px, y down.
    """

    kind: PointerKind
    at_s: float
    x: float
    y: float
    button: int = 1


class Inbox:
    """Collects events in their order until they are taken; bounded, so nobody has to take them."""

    def __init__(self) -> None:
        self.wants_to_quit = False
        self._pointer: deque[PointerEvent] = deque(maxlen=MOST_POINTER_EVENTS)
        self._keys: deque[str] = deque(maxlen=MOST_KEYS)
        self._resizes: deque[tuple[int, int]] = deque(maxlen=16)

    def put_pointer(self, event: PointerEvent) -> None:
        """Add an event; when many wait, a move takes the place of the move before it."""
        waiting = self._pointer
        if len(waiting) >= MERGE_MOVES_FROM and event.kind == "move" and waiting[-1].kind == "move":
            waiting.pop()
        waiting.append(event)

    def put_key(self, name: str) -> None:
        """Add a key by name, with its modifiers in front: `d`, `up`, `ctrl+q`."""
        self._keys.append(name)

    def put_resize(self, width_px: int, height_px: int) -> None:
        """Add a new picture size."""
        self._resizes.append((width_px, height_px))

    def take_pointer(self) -> list[PointerEvent]:
        """All pointer events since the last call, oldest first."""
        return _drain(self._pointer)

    def take_keys(self) -> list[str]:
        """Names of all keys pressed since the last call, oldest first."""
        return _drain(self._keys)

    def take_resizes(self) -> list[tuple[int, int]]:
        """All new sizes (width, height) since the last call, oldest first."""
        return _drain(self._resizes)


def _drain(waiting: deque) -> list:
    taken = list(waiting)
    waiting.clear()
    return taken
