"""Contacts in order: every ON and OFF gets a tick of its own, whatever came between two ticks."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

WAITING_LIMIT = 256


class Contact(NamedTuple):
    """The light came on or went off at (x, y) px, seen at `at_s`."""

    at_s: float
    on: bool
    x: float
    y: float
    reason: str = ""


class Contacts:
    """A queue of contacts; when more than 256 wait, the oldest pair is merged away and counted."""

    def __init__(self) -> None:
        self._waiting: deque[Contact] = deque()
        self.merged = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, contact: Contact) -> None:
        """Queue one contact; one that repeats the state before it is not a contact."""
        if self._waiting and self._waiting[-1].on == contact.on:
            return
        self._waiting.append(contact)
        if len(self._waiting) > WAITING_LIMIT:
            self._waiting.popleft()
            self._waiting.popleft()
            self.merged += 1

    def take(self) -> Contact | None:
        """The oldest contact that waits, or None."""
        return self._waiting.popleft() if self._waiting else None
