"""What an error of the database means, and moving a damaged database aside without losing it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

Kind = Literal["busy", "damaged", "refused", "failed"]

# Primary result codes of SQLite.
BUSY, LOCKED, CORRUPT, TOO_BIG, CONSTRAINT, MISMATCH, RANGE, NOT_A_DATABASE = 5, 6, 11, 18, 19, 20, 25, 26
VALUE_FAULTS = (ArithmeticError, LookupError, TypeError, ValueError)
COMPANIONS = ("-wal", "-shm", "-journal")

ADVICE = {
    "busy": "another program holds the log; close it there. Sessions wait in memory until then",
    "damaged": "the log is damaged; it will be moved aside and a new one begun",
    "refused": "the log did not take one entry; the others go on",
    "failed": "the log cannot be written; check its folder, rights and free space. Sessions wait in memory",
}


class LogMoved(OSError):
    """The file was deleted or replaced while the show was writing it. Retry: open it again."""


def kind_of(error: BaseException) -> Kind:
    """What to do: busy = wait, damaged = move aside, refused = skip the entry, failed = open again.

    An entry is to blame only for errors that values can cause; any other fault may pass by itself.
    """
    if isinstance(error, UnicodeDecodeError):  # the driver met text, or a name in a message, that is none
        return "damaged"
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return "refused" if isinstance(error, VALUE_FAULTS) or _is_from_driver(error) else "failed"
    primary = code & 0xFF
    if primary in (BUSY, LOCKED):
        return "busy"
    if primary in (CORRUPT, NOT_A_DATABASE):
        return "damaged"
    return "refused" if primary in (CONSTRAINT, MISMATCH, TOO_BIG, RANGE) else "failed"


def _is_from_driver(error: BaseException) -> bool:
    """True for a driver's error without a code: it did not even hand the values to the engine."""
    return any(kind.__name__ in ("InterfaceError", "DatabaseError") for kind in type(error).__mro__)


def explain(error: BaseException, path: Path) -> str:
    """One line: what happened, to which file, and what comes of it."""
    return f"{path.name}: {_words(error)} ({ADVICE[kind_of(error)]})"


def _words(error: BaseException) -> str:
    try:
        return str(error) or type(error).__name__
    except Exception:  # noqa: BLE001  telling of a fault must not be the next one
        return type(error).__name__


def leftovers(path: Path) -> list[Path]:
    """The journal files that lie beside a database and belong to it."""
    beside = [path.with_name(path.name + ending) for ending in COMPANIONS]
    return [file for file in beside if file.exists()]


def move_aside(path: Path, now_us: int) -> Path:
    """Rename the database and its journals to a free name with the UTC time; returns the new name.

    A journal left behind would be played into the database that follows. Raises OSError.
    """
    stamp = datetime.fromtimestamp(now_us // 1_000_000, UTC).strftime("%Y%m%dT%H%M%SZ")
    target = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}")
    count = 1
    while target.exists() or leftovers(target):
        count += 1
        target = path.with_name(f"{path.stem}.damaged-{stamp}-{count}{path.suffix}")
    for file in [*leftovers(path), path]:
        if file.exists():
            file.rename(target.with_name(target.name + file.name.removeprefix(path.name)))
    return target
