"""The log of a home whose show stands still, opened by a command that writes: locked, checked, up to date."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from logs import damage, identity, schema
from logs.engine import Engine, choose, connect, connect_to_read
from logs.exchange import FINISHED, Exchange
from logs.lock import HomeLock

# A new log that the show's next start puts in the place of this one.


class CannotWrite(RuntimeError):
    """The log itself cannot be written now; the message says why and what to do."""


@contextmanager
def locked(path: Path) -> Iterator[Engine]:
    """Hold the lock of the home; faults of file and database become CannotWrite.

    Raises AlreadyRunning while a show writes this log.
    """
    lock, engine = HomeLock(path), choose()
    with _told(engine, path):
        lock.take()
        try:
            yield engine
        finally:
            lock.release()


@contextmanager
def opened(engine: Engine, path: Path) -> Iterator[Any]:
    """The log, sound, ours and of this version, open for writing; the caller holds the lock.

    An older version is brought up to date, and copied before. Raises CannotWrite for a log that the
    next start of the show would move aside, which stays as it is, and the driver's `Error`.
    """
    _check_exchange(path)
    _check_place(engine, path)
    connection = connect(engine, path)
    try:
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if verdict != "ok":
            raise CannotWrite(f"{path}: the log is damaged ({verdict}); give `logs recover`, then try again")
        if not schema.is_current(connection):
            schema.migrate(connection, path.with_name(f"{path.stem}.before-migration{path.suffix}"))
        difference = identity.difference(identity.of(connection), identity.read(path))
        if difference:
            raise CannotWrite(f"{path}: {difference}; give `logs recover`, then try again")
        yield connection
    finally:
        connection.close()


def begin(engine: Engine, path: Path) -> None:
    """A new log, under its own name when it is complete; the caller holds the lock.

    Raises CannotWrite where there was one before, and the driver's `Error`.
    """
    _check_exchange(path)
    if damage.leftovers(path) or identity.read(path):
        raise CannotWrite(
            f"{path}: the log of the last run is gone; look for it, or give `logs recover` to begin another"
        )
    Exchange(path, engine, lambda: 0).make(lambda new: None)


@contextmanager
def _told(engine: Engine, path: Path) -> Iterator[None]:
    try:
        yield
    except engine.module.Error as fault:
        advice = {
            "busy": "another program holds it; close it there and try again",
            "damaged": "it is damaged; `logs recover` keeps it aside and saves what can be read",
        }.get(damage.kind_of(fault), "check the folder, its rights and its free space")
        raise CannotWrite(f"{path}: the log cannot be written ({fault}): {advice}") from fault
    except OSError as fault:
        raise CannotWrite(f"{path}: the log cannot be written ({fault})") from fault


def _check_exchange(path: Path) -> None:
    if path.with_name(path.name + FINISHED).exists():
        raise CannotWrite(f"{path}: a new log waits for its place; give `logs recover`, then try again")


def _check_place(engine: Engine, path: Path) -> None:
    """Refuse, without a change, what the next start of the show would move aside."""
    if not os.access(path, os.W_OK):
        raise CannotWrite(f"{path}: the log is read-only; mend its rights")
    if path.stat().st_size == 0:
        raise CannotWrite(f"{path}: the log is empty; give `logs recover`, then try again")
    connection = connect_to_read(engine, path)
    try:
        if not schema.is_ours(connection):
            raise CannotWrite(f"{path}: it is a database of another program")
    finally:
        connection.close()
