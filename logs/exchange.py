"""A new database put where a log is or was: whole or not at all, whatever moment the power goes at.

It is built under one name, gets a second one when it is whole, and then its place; what is there is kept
under a third. A start that finds the second name was cut off in the exchange, and completes it.
"""

from __future__ import annotations

import filecmp
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from logs import damage, schema
from logs.durable import sync_folder
from logs.engine import Engine, connect

DRAFT, FINISHED = ".new", ".next"
Filled = TypeVar("Filled")


class Exchange:
    """Of the database at `path`; `now_us` dates what is moved aside. Methods raise OSError."""

    def __init__(self, path: Path, engine: Engine, now_us: Callable[[], int]) -> None:
        self._path, self._engine, self._now_us = path, engine, now_us
        self._draft = path.with_name(path.name + DRAFT)
        self._finished = path.with_name(path.name + FINISHED)

    @property
    def waits(self) -> bool:
        """True when a finished new database has not its place yet."""
        return self._finished.exists()

    def make(self, fill: Callable[[Any], Filled]) -> tuple[Filled, Path | None]:
        """Put a new, current database in the place, with what `fill` writes into it.

        Returns what that returned, and the name under which the old file is kept. Raises the driver's
        `Error` too; then what was there is still there.
        """
        try:
            filled = self._build(fill)
            self._draft.rename(self._finished)
        finally:
            _drop(self._draft)
        sync_folder(self._path.parent)
        return filled, self._put_in_place()

    def complete(self) -> Path | None:
        """Undo or complete what a full disk or a power cut left; the name under which an old file is kept."""
        _drop(self._draft)
        if not self.waits:
            return None
        if self._path.exists() and filecmp.cmp(self._path, self._finished, shallow=False):
            _drop(self._finished)  # of a rename that was cut off both names may be left
            return None
        return self._put_in_place()

    def _build(self, fill: Callable[[Any], Filled]) -> Filled:
        # With a write-ahead log rows may stand beside the file when it is closed on a full disk.
        connection = connect(replace(self._engine, journal="DELETE"), self._draft)
        try:
            schema.migrate(connection)
            return fill(connection)
        finally:
            connection.close()

    def _put_in_place(self) -> Path | None:
        kept = None
        if self._path.exists() or damage.leftovers(self._path):
            kept = damage.move_aside(self._path, self._now_us())
        self._finished.rename(self._path)
        sync_folder(self._path.parent)
        return kept


def _drop(draft: Path) -> None:
    with suppress(OSError):
        for file in [*damage.leftovers(draft), draft]:
            file.unlink(missing_ok=True)
