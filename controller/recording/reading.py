"""A recording's file: looked through once for what is wrong with it, then read row after row."""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from controller.recording.rows import (
    LONGEST_LINE_BYTES,
    End,
    Head,
    NewScene,
    Row,
    Unreadable,
    read_head,
    read_row,
)
from controller.scenes import SCENES
from controller.stepper import TICKS_PER_S

# A wrong tick would have a replay run for ever.
MOST_DAYS = 366
MOST_TICKS = MOST_DAYS * 24 * 3600 * TICKS_PER_S
GZIP_MARK = b"\x1f\x8b"


class RecordingError(ValueError):
    """What cannot be replayed: file, line and what to change, or what the scene refused."""


class Recording:
    """A whole recording or the first part of one; raises RecordingError for any other file, and OSError.

    A file packed with gzip is read as what is in it. `last_tick` is its last step, `digest` the SHA-256 of
    the scene after that, "" where the file does not tell. `notes` says what is missing. Rows that are
    written to it after this first look do not count.
    """

    def __init__(self, path: Path) -> None:
        if not stat.S_ISREG(path.stat().st_mode):
            raise RecordingError(f"{path} is no regular file: save it as one first")
        self.path = path
        self.notes: list[str] = []
        self.head = self._read_head()
        self.last_tick, self.digest = self.head.tick, ""
        self._count = 0
        self._look_through()

    @property
    def ticks(self) -> int:
        """How many steps it has."""
        return self.last_tick - self.head.tick

    def rows(self) -> Iterator[Row]:
        """All rows but the end, in their order; read from the file as they are needed."""
        rows = (row for _, row in islice(self._read_rows(), self._count))
        return (row for row in rows if not isinstance(row, End))

    def _read_head(self) -> Head:
        number, line = next(self._lines(), (1, b""))
        try:
            head = read_head(line)
            _check_scene(head.scene)
        except Unreadable as error:
            raise self._error(number, self._why_none(line) or error) from error
        return head

    def _why_none(self, line: bytes) -> str:
        """Where the file itself is at fault, and not what its first line says; else empty."""
        if self.notes:
            return "this is no recording: the packed file is cut in its first line"
        if not line:
            return "this is no recording: the file is empty"
        if self.path.suffix == ".gz" and not self._is_packed() and not line.lstrip().startswith(b"{"):
            return "this is no recording: the file is damaged, or not packed as its name says"
        return ""

    def _look_through(self) -> None:
        end = None
        for number, row in self._read_rows():
            if end is not None:
                raise self._error(number, "a row after the end; put the end last or leave it out")
            end = row if isinstance(row, End) else None
            # What happened after the last step stands before the one that did not come.
            if row.tick + (end is not None) < self.last_tick:
                raise self._error(
                    number, f"tick {row.tick} after {self.last_tick}; rows stand in the order of their ticks"
                )
            if row.tick - self.head.tick > MOST_TICKS:
                raise self._error(
                    number, f"tick {row.tick} comes more than {MOST_DAYS} days after the first; mend it"
                )
            if isinstance(row, NewScene):
                self._checked(number, row.scene)
            self.last_tick = row.tick
            self._count += 1
        if end is None:
            self.notes.append(
                f"It has no end, as after a power cut: it goes to its last row, tick {self.last_tick}."
            )
        elif end.sha256 is not None:
            self.digest = end.sha256

    def _checked(self, number: int, scene: str) -> None:
        try:
            _check_scene(scene)
        except Unreadable as error:
            raise self._error(number, error) from error

    def _read_rows(self) -> Iterator[tuple[int, Row]]:
        """Rows with the numbers of their lines; one that was cut in writing is passed over, the last."""
        for number, line in islice(self._lines(), 1, None):
            try:
                yield number, read_row(line)
            except Unreadable as error:
                if not error.broken or line.endswith(b"\n"):
                    raise self._error(number, error) from error
                self.notes.append(f"Line {number} is half written and passed over.")

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        """Those that are not blank with their numbers, and no more of a longer one than a line can have."""
        with self._open() as file:
            for number, line in enumerate(iter(lambda: self._line_of(file), b""), 1):
                if len(line) > LONGEST_LINE_BYTES:
                    raise self._error(number, f"longer than {LONGEST_LINE_BYTES >> 20} MB, as no row is")
                if line.strip():
                    yield number, line

    def _open(self) -> BinaryIO:
        return cast(BinaryIO, gzip.open(self.path)) if self._is_packed() else self.path.open("rb")

    def _is_packed(self) -> bool:
        with self.path.open("rb") as file:
            return file.read(len(GZIP_MARK)) == GZIP_MARK

    def _line_of(self, file: BinaryIO) -> bytes:
        """The next line, or as much of it as is too long; empty at the end and where a packed file is cut."""
        try:
            return file.readline(LONGEST_LINE_BYTES + 1)
        except EOFError:
            self.notes.append("The packed file is cut; what is left of it is taken.")
            return b""
        except (gzip.BadGzipFile, zlib.error) as error:
            raise RecordingError(f"{self.path}: the packed file is damaged ({error})") from error

    def _error(self, number: int, what: object) -> RecordingError:
        return RecordingError(f"{self.path}, line {number}: {what}")


def _check_scene(name: str) -> None:
    if name not in SCENES:
        raise Unreadable(f"there is no scene {name!r} here; known: {', '.join(SCENES)}")
