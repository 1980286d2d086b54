"""What people did at the window since it was last asked: pointer, keys, new sizes, the wish to quit."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

# Beyond this many waiting events a move replaces the move before it.
MERGE_MOVES_FROM = 256
# Beyond these the oldest moves are dropped, and the oldest contacts merged: none is dropped.
MOST_POINTER_EVENTS = 4096
MOST_CONTACTS = 256
MOST_KEYS = 256

PointerKind = Literal["press", "release", "move"]

log = logging.getLogger(__name__)


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


class EventQueue:
    """Collects events in their order until they are taken; bounded, so nobody has to take them.

    `merged_contacts` counts how often two contacts were made one because too many waited.
    """

    def __init__(self) -> None:
        self.wants_to_quit = False
        self.merged_contacts = 0
        self._pointer: deque[PointerEvent] = deque()
        self._contacts = 0
        self._keys: deque[str] = deque(maxlen=MOST_KEYS)
        self._resizes: deque[tuple[int, int]] = deque(maxlen=16)

    def put_pointer(self, event: PointerEvent) -> None:
        """Add an event; when many wait, moves give way to newer ones and the oldest contacts are merged."""
        waiting = self._pointer
        if event.kind != "move":
            self._contacts += 1
        elif len(waiting) >= MERGE_MOVES_FROM and waiting[-1].kind == "move":
            waiting.pop()
        waiting.append(event)
        if self._contacts > MOST_CONTACTS:
            self._merge_contacts()
        if len(waiting) > MOST_POINTER_EVENTS:
            del waiting[next(place for place, one in enumerate(waiting) if one.kind == "move")]

    def _merge_contacts(self) -> None:
        """Leave out the oldest contact that says nothing new, else the oldest release with its next press."""
        if not self.merged_contacts:
            log.warning("over %d presses and releases wait; the oldest are merged", MOST_CONTACTS)
        places = [place for place, event in enumerate(self._pointer) if event.kind != "move"]
        kinds = [self._pointer[place].kind for place in places]
        again = [n for n, (before, after) in enumerate(pairwise(kinds), start=1) if before == after]
        if again:
            self._leave_out([places[again[0]]])
        else:
            first_release = kinds.index("release")
            self._leave_out(places[first_release : first_release + 2])
        self.merged_contacts += 1

    def _leave_out(self, places: list[int]) -> None:
        for place in reversed(places):
            del self._pointer[place]
        self._contacts -= len(places)

    def put_key(self, name: str) -> None:
        """Add a key by name, with its modifiers in front: `d`, `up`, `ctrl+q`."""
        self._keys.append(name)

    def put_resize(self, width_px: int, height_px: int) -> None:
        """Add a new picture size."""
        self._resizes.append((width_px, height_px))

    def take_pointer(self) -> list[PointerEvent]:
        """All pointer events since the last call, oldest first."""
        self._contacts = 0
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
