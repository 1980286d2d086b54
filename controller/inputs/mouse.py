"""The mouse as the light: the left button held is on, as in the original."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from controller.inputs.inbox import Contact, Inbox
from controller.light import LightSample
from display.events import PointerEvent


class MouseSource:
    """Takes the window's pointer events; `take_pointer` gives all since the last call, in order."""

    def __init__(
        self, take_pointer: Callable[[], Iterable[PointerEvent]], clock: Callable[[], float]
    ) -> None:
        self._take_pointer, self._clock = take_pointer, clock
        self._inbox = Inbox("mouse", "", 0.0, 0.0, clock())
        self._inbox.revived()

    def poll(self, tick: int) -> LightSample:
        """The sample of this tick; at most one contact a tick, so that none is lost."""
        for event in self._take_pointer():
            self._inbox.move(event.at_s, event.x, event.y)
            if event.kind == "press":
                self._inbox.contact(Contact(True, event.at_s, event.x, event.y))
            elif event.kind == "release":
                self._inbox.contact(Contact(False, event.at_s, event.x, event.y, "off"))
        self._inbox.seen(self._clock())
        return self._inbox.take(tick)

    def resize(self, size: tuple[int, int]) -> None:
        """Nothing to do: the window gives positions of its own size."""

    def close(self) -> None:
        """Nothing to let go of: the window is not ours."""

    def state(self) -> dict[str, Any]:
        """Plain facts for the status file."""
        return {"merged_contacts": self._inbox.merged}
