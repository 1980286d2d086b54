"""Rows of a recording on their way to the disk: a queue that never waits, and the thread that empties it."""

from __future__ import annotations

import logging
import os
import queue
import threading
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

import click

from controller.recording.rows import Head, Reading, Row, checked_line, end_row
from controller.recording.sole_file import InUse, open_emptied

# Ten minutes of a light that moves in every tick, about 10 MB.
MOST_WAITING = 36_000
# What a power cut or a kill costs at most.
WRITE_EVERY_S = 1.0
ROWS_AT_ONCE = 1000
COMPLETION_S = 5.0

logger = logging.getLogger(__name__)


class RecordingWriter:
    """Writes `head`, then each row that is `put`; replaces a file that is there.

    It comes by each `every_s`, and tries a disk that is full or away again while rows wait. When no more can
    wait, the recording ends with the last row that could: `lost` counts those after it. It also ends before
    a row that could not be read again, and has none of its rows where another program writes the file.
    `fault` is the last reason, "" while all is well; `written` counts the lines on the disk.
    """

    def __init__(
        self, path: Path, head: Head, most_waiting: int = MOST_WAITING, every_s: float = WRITE_EVERY_S
    ) -> None:
        self.path, self.written, self.fault = path, 0, ""
        self._refused, self._unwritten, self._told_of_the_end = 0, 0, False
        self._waiting: queue.Queue[Head | Row | Reading] = queue.Queue(most_waiting)
        self._waiting.put(head)
        self._every_s = every_s
        self._file: FileIO | None = None
        self._left, self._ended = b"", False
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="recording", daemon=True)
        self._thread.start()

    def put(self, row: Row | Reading) -> None:
        """Take a row; never waits. After one that was lost no other is taken: there are no gaps."""
        if not self.lost:
            with suppress(queue.Full):
                self._waiting.put_nowait(row)
                return
        self._refused += 1

    @property
    def lost(self) -> int:
        """How many rows came after the last one that is kept."""
        return self._refused + self._unwritten

    def close(self, tick: int, state: bytes | None, patience_s: float = COMPLETION_S) -> bool:
        """Complete the file; False, and a word, when it is not whole."""
        self.put(end_row(tick, state))
        self._closing.set()
        self._thread.join(patience_s)
        if not (self._thread.is_alive() or self.lost or self._left or self._waiting.qsize()):
            return True
        logger.error(
            "The recording %s ends early: %d rows could not be written (%s).",
            self.path,
            self.lost + self._waiting.qsize() + self._left.count(b"\n"),
            self._why,
        )
        return False

    def state(self) -> dict[str, Any]:
        """Plain values for the status; `fault` says what is wrong now and what to do."""
        return {
            "path": click.format_filename(self.path),
            "rows": self.written,
            "waiting": self._waiting.qsize(),
            "lost": self.lost,
            "fault": self._complaint(),
        }

    def _complaint(self) -> str:
        if self.lost:
            return f"it ended early ({self._why}); start the show again to record the rest"
        if self.fault or self._waiting.qsize() > ROWS_AT_ONCE:
            return f"its rows wait ({self._why}); look at the disk and at the folder's rights"
        return ""

    @property
    def _why(self) -> str:
        return self.fault or "the disk does not keep up"

    def _work(self) -> None:
        while not self._closing.wait(self._every_s):
            self._write_waiting()
        self._write_waiting()
        if self._file is not None:
            self._file.close()

    def _write_waiting(self) -> None:
        """Bring to the disk what has come; what it refused waits for the next time."""
        if self._file is None and self._ended:
            return
        try:
            if self._file is None:
                self._file = open_emptied(self.path)
            self._write_to(self._file)
        except InUse as error:
            self._waiting.get_nowait()  # the head: nothing was written before it
            self._end_before(str(error.strerror))
        except OSError as error:
            self._tell(error.strerror or str(error))
        if self.lost:
            self._tell_of_the_end()

    def _write_to(self, file: FileIO) -> None:
        new = False
        while self._left or self._take():
            done = file.write(self._left)
            self.written += self._left[:done].count(b"\n")
            self._left = self._left[done:]
            new = True
        if new:
            os.fsync(file.fileno())
        if not self.lost:
            self.fault = ""

    def _take(self) -> bool:
        lines: list[bytes] = []
        with suppress(queue.Empty):
            while len(lines) < ROWS_AT_ONCE and not self._ended:
                lines += self._lines_of(self._waiting.get_nowait())
        self._left = b"".join(lines)
        return bool(lines)

    def _lines_of(self, row: Head | Row | Reading) -> list[bytes]:
        """Its line, or none when it could not be read again: nothing after it is written either."""
        try:
            return [checked_line(row)]
        except ValueError as error:
            self._end_before(f"a row cannot be written: {error}")
            return []

    def _end_before(self, fault: str) -> None:
        """No row from here on is written, nor taken."""
        self._ended, self.fault = True, fault
        self._unwritten += 1

    def _tell_of_the_end(self) -> None:
        """Once, by the thread: a terminal that takes no more text must not hold the picture up."""
        if not self._told_of_the_end:
            self._told_of_the_end = True
            logger.warning("The recording %s ends here, the show goes on: %s.", self.path, self._why)

    def _tell(self, fault: str) -> None:
        if not self.fault:
            logger.warning("The recording %s waits, the show goes on: %s.", self.path, fault)
        self.fault = fault
