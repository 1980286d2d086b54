"""The thread of the visits' recordings: it streams drafts, packs them, and removes what is too old."""

from __future__ import annotations

import base64
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import click
from pydantic import BaseModel

from controller.recording.rows import Head, Reading, Row, checked_line, end_row
from controller.recording.shelf import Shelf
from logs.synchronised import is_synchronised
from logs.visits import Event

# Ten minutes of a light that moves in every tick.
MOST_WAITING = 36_000
MANY_WAITING = 1000
# Each has a snapshot, 20 MB with 100,000 bugs.
MOST_VISITS_WAITING = 8
# What a kill costs at most.
WRITE_EVERY_S = 1.0
COMPLETION_S = 3.0
# Each is unpacked for its ticks, a few ms.
UNTOLD_AT_ONCE = 20
SLOW = "the disk does not keep up"

logger = logging.getLogger(__name__)


class Journal(Protocol):
    """The log's side of the recordings; never waits, for any thread."""

    def name_of(self, event: Event) -> str: ...

    def recorded(self, session: str, file: str, ticks: int, size_bytes: int) -> None: ...

    def recording_gone(self, file: str) -> None: ...


class Begun(NamedTuple):
    """A visit and how the scene was at its ON: `at_s` UTC, seconds since 1970, `size` px."""

    event: Event
    at_s: float
    snapshot: bytes
    settings: BaseModel
    size: tuple[int, int]


class _Done(NamedTuple):
    tick: int
    state: bytes | None
    whole: bool


class _Draft:
    """A recording under way. Methods raise OSError; `cut` says why it takes no more rows."""

    def __init__(self, path: Path) -> None:
        self.path, self.cut = path, ""
        self._file: BinaryIO = path.open("wb")
        self._lines: list[bytes] = []

    def add(self, row: Head | Row | Reading) -> None:
        """After one that could not be read again none is taken: there are no gaps."""
        if not self.cut:
            try:
                self._lines.append(checked_line(row))
            except ValueError as error:
                self.cut = f"a row cannot be written: {error}"

    def flush(self) -> None:
        lines, self._lines = self._lines, []
        self._file.write(b"".join(lines))
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class VisitWriting:
    """`begin`, `put` and `close` are the frame thread's and never wait; the rest is done each `every_s`.

    `head` is that of any recording of this show. `listed` gives the files that the log knows, None while it
    cannot be read, so that it forgets those that are gone and is told of others. `synchronised` says whether
    the network sets the wall clock. A fault of the disk costs the recording that met it, which `lost` counts;
    `fault` says why until one is `made` again.
    """

    def __init__(
        self,
        shelf: Shelf,
        log: Journal,
        head: Head,
        listed: Callable[[], Collection[str] | None] = list,
        wall: Callable[[], float] = time.time,
        most_waiting: int = MOST_WAITING,
        every_s: float = WRITE_EVERY_S,
        synchronised: Callable[[], bool | None] = is_synchronised,
    ) -> None:
        self._shelf, self._log, self._head = shelf, log, head
        self._listed, self._wall, self._synchronised = listed, wall, synchronised
        self._most_waiting, self._every_s = most_waiting, every_s
        self._waiting: deque[Begun | Row | Reading | _Done] = deque()
        self._begun = self._refused = 0
        self._whole = False
        # What follows is the thread's own.
        self._taken = self._failed = self._refused_told = 0
        self._draft: _Draft | None = None
        self._swept: date | None = None
        self._compared = False
        self._untold: list[Path] = []
        self.made, self.fault = 0, ""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="visit-recordings", daemon=True)
        self._thread.start()

    def begin(self, begun: Begun) -> bool:
        """Take a visit; False where too much waits for the disk."""
        self._whole = (
            len(self._waiting) < self._most_waiting and self._begun - self._taken < MOST_VISITS_WAITING
        )
        if self._whole:
            self._begun += 1
            self._waiting.append(begun)
        else:
            self._refused += 1
        return self._whole

    def put(self, row: Row | Reading) -> None:
        """Take a row; after one for which there was no room no other of this visit: there are no gaps."""
        if self._whole and len(self._waiting) < self._most_waiting:
            self._waiting.append(row)
        else:
            self._whole = False

    def close(self, tick: int, state: bytes | None) -> bool:
        """The visit has ended; False when rows of it are missing."""
        self._waiting.append(_Done(tick, state, self._whole))
        return self._whole

    def stop(self, patience_s: float = COMPLETION_S) -> None:
        """Write and pack what waits; what takes longer is packed at the next start."""
        self._closing.set()
        self._thread.join(patience_s)

    @property
    def lost(self) -> int:
        """How many visits have no recording."""
        return self._refused + self._failed

    def state(self) -> dict[str, Any]:
        """Plain values for the status."""
        late = SLOW if len(self._waiting) > MANY_WAITING or self._refused > self._refused_told else ""
        return {
            "path": click.format_filename(self._shelf.folder),
            "made": self.made,
            "lost": self.lost,
            "waiting": len(self._waiting),
            "fault": self.fault or late,
        }

    def _work(self) -> None:
        while not self._closing.wait(self._every_s):
            self._turn()
        self._turn()
        self._risk(self._complete)

    def _turn(self) -> None:
        self._try(self._sweep)
        self._try(self._compare)
        while self._waiting:
            self._risk(self._take, self._waiting.popleft())
        self._risk(self._stream)
        self._tell_of_refused()

    def _risk(self, part: Callable[..., None], *told: Any) -> None:
        """A fault costs the recording under way."""
        if self._try(part, *told):
            return
        self._failed += 1
        draft, self._draft = self._draft, None
        if draft is not None:
            with suppress(OSError):
                draft.close()
            with suppress(OSError):
                draft.path.unlink()

    def _try(self, part: Callable[..., None], *told: Any) -> bool:
        """False at a fault, which is told; this thread must outlive whatever it meets."""
        try:
            part(*told)
        except OSError as error:
            self._tell(error.strerror or str(error))
            return False
        except Exception as error:  # noqa: BLE001  the next recording may be a good one
            self._tell(f"{type(error).__name__}: {error}")
            return False
        return True

    def _tell(self, fault: str) -> None:
        if not self.fault:
            logger.warning("A visit has no recording in %s, the show goes on: %s.", self._shelf.folder, fault)
        self.fault = fault

    def _tell_of_refused(self) -> None:
        """For the frame thread, which a terminal that takes no more text must not hold up."""
        refused = self._refused
        if refused > self._refused_told:
            self._refused_told = refused
            self._tell(SLOW)

    def _take(self, item: Begun | Row | Reading | _Done) -> None:
        match item:
            case Begun():
                self._taken += 1
                self._complete()
                self._open(item)
            case _Done():
                self._complete(item)
            case _ if self._draft is not None:
                self._draft.add(item)

    def _open(self, begun: Begun) -> None:
        head = self._head.model_copy(
            update={
                "settings": begun.settings.model_dump(mode="json"),
                "size": begun.size,
                "snapshot": base64.b64encode(begun.snapshot).decode(),
            }
        )
        self._draft = _Draft(self._shelf.draft(self._log.name_of(begun.event), begun.at_s))
        self._draft.add(head)

    def _stream(self) -> None:
        if self._draft is not None:
            self._shelf.check_space()
            self._draft.flush()

    def _complete(self, done: _Done | None = None) -> None:
        """Pack the draft, if there is one; without an end where rows are missing."""
        if self._draft is None:
            return
        if done is not None and done.whole:
            self._draft.add(end_row(done.tick, done.state))
        self._draft.flush()
        self._draft.close()
        draft, self._draft = self._draft, None
        if draft.cut:
            logger.warning("The recording %s ends early: %s.", draft.path, draft.cut)
        self._try(self._pack, draft.path)

    def _pack(self, draft: Path) -> None:
        packed = self._shelf.pack(draft)
        if packed is not None:
            self._log.recorded(*packed)
            self.made += 1
        self.fault = ""

    def _sweep(self) -> None:
        """At the start and at each change of the date."""
        today = self._shelf.day_at(self._wall())
        if today == self._swept:
            return
        self._swept, self._compared = today, False
        for file in self._shelf.outdated(today, certain=self._synchronised() is True):
            self._log.recording_gone(self._shelf.name_of(file))
            self._try(self._shelf.remove, file)
        for draft in self._shelf.drafts():
            if self._draft is None or draft != self._draft.path:
                self._try(self._pack, draft)

    def _compare(self) -> None:
        """The log with the shelf, after each sweep, as soon as it can be read.

        What a show packed when its log was closed already, or was killed before that wrote, is told here.
        """
        listed = None if self._compared else self._listed()
        if listed is not None:
            self._compared = True
            self._forget_missing(listed)
            self._untold = [one for one in self._shelf.packed() if self._shelf.name_of(one) not in listed]
        now, self._untold = self._untold[:UNTOLD_AT_ONCE], self._untold[UNTOLD_AT_ONCE:]
        for packed in filter(None, map(self._shelf.described, now)):
            self._log.recorded(*packed)

    def _forget_missing(self, listed: Collection[str]) -> None:
        """What somebody removed; but not while the whole folder, on a disk of its own perhaps, is away."""
        if self._shelf.folder.is_dir():
            for name in listed:
                if not self._shelf.has(name):
                    self._log.recording_gone(name)
