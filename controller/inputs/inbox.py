"""What a device told, waiting for the show: contacts in order, of the positions the newest."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, replace

from controller.light import LightSample, Reason, Source

MOST_CONTACTS = 256


@dataclass(frozen=True, slots=True)
class Contact:
    """The light went on or off at `at_s`, screen px; not `alive`: off because the device is lost."""

    on: bool
    at_s: float
    x: float
    y: float
    reason: Reason = ""
    alive: bool = True


class Inbox:
    """Filled by the device's thread, emptied by the show: one sample a tick, under a short lock.

    `lost_reason` is why the light is off while the device does not answer.
    """

    def __init__(self, source: Source, lost_reason: Reason, x: float, y: float, at_s: float) -> None:
        self.merged = 0
        self._source, self._lost_reason = source, lost_reason
        self._lock = threading.Lock()
        self._contacts: deque[Contact] = deque()
        self._lit = False
        self._newest = (at_s, x, y)
        self._given = LightSample(0, at_s, x, y, False, source, alive=False, reason="")
        self._alive = False

    @property
    def alive(self) -> bool:
        """True while the device answers."""
        return self._alive

    @property
    def position(self) -> tuple[float, float]:
        """The newest position, screen px."""
        return self._newest[1:]

    def contact(self, contact: Contact) -> None:
        """Queue an ON or OFF; one that says nothing new is dropped."""
        with self._lock:
            if contact.on == self._lit:
                return
            self._lit = contact.on
            self._contacts.append(contact)
            if len(self._contacts) > MOST_CONTACTS:
                self._merge()

    def move(self, at_s: float, x: float, y: float) -> None:
        """A new position; it counts while the light is on."""
        with self._lock:
            self._newest = (at_s, x, y)

    def seen(self, at_s: float) -> None:
        """The device answered without a light, or with one at a place that cannot be."""
        with self._lock:
            self._newest = (at_s, *self._newest[1:])

    def revived(self) -> None:
        """The device answers."""
        with self._lock:
            self._alive = True

    def lost(self, at_s: float) -> None:
        """No answer since `at_s`: the light goes off there, after the contacts that wait."""
        with self._lock:
            self._alive, lit = False, self._lit
            _, x, y = self._newest
        if lit:
            self.contact(Contact(False, at_s, x, y, self._lost_reason, alive=False))

    def take(self, tick: int) -> LightSample:
        """The oldest waiting contact, else the light as it is now."""
        with self._lock:
            if self._contacts:
                first = self._contacts.popleft()
                sample = LightSample(
                    tick, first.at_s, first.x, first.y, first.on, self._source, first.alive, first.reason
                )
            else:
                sample = self._unchanged(tick)
            self._given = sample
            return sample

    def _unchanged(self, tick: int) -> LightSample:
        at_s, x, y = self._newest
        if self._given.on:
            return replace(self._given, tick=tick, at_s=at_s, x=x, y=y, alive=self._alive)
        reason = self._lost_reason
        if self._alive:
            reason = self._given.reason if self._given.alive else ""
        return replace(self._given, tick=tick, at_s=at_s, alive=self._alive, reason=reason)

    def _merge(self) -> None:
        """Join the two oldest contacts of the light: leave out one OFF and the ON after it."""
        contacts = list(self._contacts)
        first_off = next(index for index, contact in enumerate(contacts) if not contact.on)
        del contacts[first_off : first_off + 2]
        self._contacts = deque(contacts)
        self.merged += 1
