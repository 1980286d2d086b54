"""Logs of the original, and our own exports, taken into the log: a transaction a file, nothing twice.

Only while no show runs: the lock of the home is held meanwhile.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from logs import identity, schema
from logs.closed_log import begin, locked, opened
from logs.handed_in import HandedIn, UnreadEncoding
from logs.original import BadLine, Line, from_line, true_times
from logs.putting import PUT_MEASURE

# Bad lines that are told one by one; of the others, their number.
LISTED = 1000
# An id of ours is kept only when it comes next or soon: a wild one would use up the ids.
LARGEST_LEAP = 1_000_000


@dataclass(slots=True)
class Imported:
    """What became of one file: sessions `taken`, those `known` already, lines that are `bad`.

    `bad_lines` are (number, reason) of the first of these, `problem` why the file as a whole gave
    nothing, `note` a word on its form.
    """

    file: str
    taken: int = 0
    known: int = 0
    bad: int = 0
    bad_lines: list[tuple[int, str]] = field(default_factory=list)
    problem: str = ""
    note: str = ""

    @property
    def is_well(self) -> bool:
        return not (self.problem or self.bad)


def import_files(
    path: Path, files: Sequence[Path], screen_px: tuple[float, float], now_us: int
) -> Iterator[Imported]:
    """Take the sessions of the files into the log at `path`, which is begun if there is none.

    `screen_px` is the size of the screen whose px the original's lines tell; what is dated after
    `now_us` (UTC) is refused. Raises AlreadyRunning while a show writes this log, and CannotWrite
    when the log itself cannot take anything; files told before are in.
    """
    with locked(path) as engine:
        if not path.exists():
            begin(engine, path)
        with opened(engine, path) as connection:
            for file in files:
                yield _Import(connection, file).take(screen_px, now_us)
                identity.keep(path, identity.of(connection))


class _Import:
    """One file on its way into the open log."""

    def __init__(self, connection: Any, file: Path) -> None:
        self._connection, self._file = connection, HandedIn(file)
        self._told = Imported(str(file))
        self._run: int | None = None
        self._span_us = (0, 0)
        found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'session'").fetchone()
        self._last_id = found[0] if found else 0

    def take(self, screen_px: tuple[float, float], now_us: int) -> Imported:
        """All good lines in one transaction. Raises the driver's `Error`; then none of them is in."""
        told = self._told
        self._connection.execute("BEGIN IMMEDIATE")
        schema.with_rollback(self._connection, lambda: self._take_lines(screen_px, now_us))
        told.note = self._file.note
        if not told.problem and told.taken + told.known == 0:
            told.problem = (
                "it is empty" if told.bad == 0 else "it holds no session; is it a log of the original?"
            )
        return told

    def _take_lines(self, screen_px: tuple[float, float], now_us: int) -> None:
        lines = self._file.lines()
        while True:
            try:
                number, line = next(lines)
            except StopIteration:
                break
            except (OSError, UnreadEncoding) as fault:
                self._told.problem = f"it cannot be read ({getattr(fault, 'strerror', None) or fault})"
                break
            try:
                if isinstance(line, BadLine):
                    raise line
                self._put(from_line(line, screen_px, now_us))
            except BadLine as why:
                self._refuse(number, str(why))
        self._end_run()

    def _refuse(self, number: int, why: str) -> None:
        self._told.bad += 1
        if len(self._told.bad_lines) < LISTED:
            self._told.bad_lines.append((number, why))

    def _put(self, line: Line) -> None:
        row = line.row
        if self._connection.execute("SELECT 1 FROM session WHERE uuid = ?", [row["uuid"]]).fetchone():
            self._told.known += 1
            return
        run = self._begin_run(row)
        near = row["id"] is not None and self._last_id < row["id"] <= self._last_id + LARGEST_LEAP
        values = {**row, "id": row["id"] if near else None, "run": run}
        places = ", ".join(f":{name}" for name in values)
        text = f"INSERT INTO session ({', '.join(values)}) VALUES ({places})"
        self._last_id = self._connection.execute(text, values).lastrowid
        measures = [(name, value, row["uuid"]) for name, value in line.measures.items()]
        self._connection.executemany(PUT_MEASURE, measures)
        (first_us, last_us), (on_us, off_us) = self._span_us, true_times(row)
        self._span_us = (min(first_us, on_us), max(last_us, off_us))
        self._told.taken += 1

    def _begin_run(self, row: dict[str, Any]) -> int:
        """The row of `run` that the file's sessions belong to; there is none for a file without new ones."""
        if self._run is None:
            source = json.dumps({"imported_from": Path(self._told.file).name})
            self._span_us = true_times(row)
            done = self._connection.execute(
                "INSERT INTO run (uuid, started_at_us, started_mono_s, boot_id, zone, version, "
                "settings_hash, settings) VALUES (?, ?, 0, '', ?, '', '', ?)",
                [str(uuid.uuid4()), self._span_us[0], row["zone"], source],
            )
            self._run = int(done.lastrowid)
        return self._run

    def _end_run(self) -> None:
        if self._run is not None:
            self._connection.execute(
                "UPDATE run SET started_at_us = ?, ended_at_us = ?, end_reason = 'imported' WHERE id = ?",
                [*self._span_us, self._run],
            )
