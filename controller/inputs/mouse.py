"""The mouse as the light: the left button held is on, as in the original."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from controller.inputs.contacts import Contact, Contacts
from controller.light import LightSample


class PointerEvent(Protocol):
    """What the window tells of the pointer; x, y in px of the screen, y down."""

    @property
    def kind(self) -> str: ...

    @property
    def at_s(self) -> float: ...

    @property
    def x(self) -> float: ...

    @property
    def y(self) -> float: ...


class MouseSource:
    """Takes the window's pointer events; `take_pointer` gives all since the last call, in order."""

    def __init__(
        self, take_pointer: Callable[[], Iterable[PointerEvent]], clock: Callable[[], float]
    ) -> None:
        self._take_pointer, self._clock = take_pointer, clock
        self._contacts = Contacts()
        self._on = False
        self._x = self._y = 0.0

    def poll(self, tick: int) -> LightSample:
        """The sample of this tick; at most one contact a tick, so that none is lost."""
        for event in self._take_pointer():
            if event.kind == "move":
                self._x, self._y = event.x, event.y
            else:
                self._contacts.put(Contact(event.at_s, event.kind == "press", event.x, event.y))
        contact = self._contacts.take()
        if contact is None or contact.on == self._on:
            return self._sample(tick, self._clock())
        self._on, self._x, self._y = contact.on, contact.x, contact.y
        return self._sample(tick, contact.at_s)

    def _sample(self, tick: int, at_s: float) -> LightSample:
        reason = "" if self._on else "off"
        return LightSample(tick, at_s, self._x, self._y, self._on, "mouse", True, reason)  # type: ignore[arg-type]

    def close(self) -> None:
        """Nothing to let go of: the window is not ours."""

    def state(self) -> dict[str, object]:
        """Plain facts for the status file."""
        return {"source": "mouse", "on": self._on, "contacts_merged": self._contacts.merged}
